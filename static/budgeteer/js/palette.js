// The command palette (Ctrl+K): every link, button and setting the page offers, found by typing some of its letters.
(() => {
  const dialog = document.getElementById("palette");
  const input = document.getElementById("palette-input");
  const list = document.getElementById("palette-list");
  if (!dialog?.showModal) return;
  const MOST = 12;
  const words = (element) => (element.getAttribute("aria-label") ?? element.textContent).replace(/\s+/g, " ").trim();

  // Where commands are found, under which heading, and what choosing one does.
  const press = (element) => element.click();
  const go = (element) => {
    for (let box = element.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    if (matchMedia("(max-width: 700px)").matches) location.hash = "config";
    element.focus();
    element.select?.();
  };
  const PLACES = [
    ["View", ".tabnav a", press, (e) => words(e).replace(/ \d$/, "")],
    ["Do", "#undo:not(:disabled), #redo:not(:disabled), #share, #pin, #apply-fix, [data-theme-toggle], [data-command]", press, words],
    ["Fix", ".note button[name=apply]", press, words],
    ["Setting", "#config-form .fl [id^=i-]:not(:disabled)", go, (e) => {
      const group = e.closest("details")?.querySelector("summary")?.firstElementChild?.nextSibling?.textContent.trim();
      const name = document.querySelector(`label[for="${CSS.escape(e.id)}"]`)?.textContent.trim() ?? "";
      return group ? `${group}: ${name}` : name;
    }],
    ["Export", "#export-toggle + .pop a", press, words],
    ["Show", ".chips a", press, words],
    ["Go to", ".top .menu .pop a, .nav a, .crumb a", press, (e) => words(e).replace(/ \?$/, "")],
  ];
  let commands = [];
  const gather = () => {
    const known = new Set();
    return PLACES.flatMap(([kind, where, run, name]) =>
      [...document.querySelectorAll(where)].map((element) => ({ kind, run, element, title: name(element) })),
    ).filter(({ kind, title }) => title && !known.has(kind + title) && known.add(kind + title));
  };

  // Letters in order, those together and at the beginning of words first.
  const score = (title, wanted) => {
    const text = title.toLowerCase();
    if (!wanted) return 1;
    const at = text.indexOf(wanted);
    if (at >= 0) return 1000 - at - (at && text[at - 1] !== " " ? 200 : 0);
    let from = 0;
    for (const letter of wanted.replace(/ /g, "")) {
      from = text.indexOf(letter, from) + 1;
      if (!from) return 0;
    }
    return 100 - from;
  };

  let shown = [];
  let chosen = 0;
  const mark = () => {
    [...list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === chosen)));
    input.setAttribute("aria-activedescendant", shown.length ? `command-${chosen}` : "");
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
  };
  const draw = () => {
    const wanted = input.value.trim().toLowerCase();
    const found = commands.map((command) => ({ ...command, score: score(`${command.title}`, wanted) }));
    shown = found.filter((command) => command.score > 0).sort((a, b) => b.score - a.score).slice(0, MOST);
    chosen = 0;
    list.replaceChildren(...shown.map((command, at) => {
      const row = document.createElement("li");
      row.id = `command-${at}`;
      row.role = "option";
      const kind = document.createElement("span");
      kind.className = "x s";
      kind.textContent = command.kind;
      row.append(command.title, kind);
      return row;
    }));
    if (!shown.length) {
      const none = document.createElement("li");
      none.className = "s";
      none.textContent = "Nothing here is called that.";
      list.append(none);
    }
    mark();
  };
  const run = (command) => {
    dialog.close();
    if (command?.element.isConnected) command.run(command.element);
  };

  const open = () => {
    if (dialog.open || document.querySelector("dialog[open]")) return;
    commands = gather();
    input.value = "";
    draw();
    dialog.showModal();
    input.focus();
  };
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (dialog.open) dialog.close();
      else open();
    }
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-palette]")) open();
    else if (event.target === dialog) dialog.close();
  });
  input.addEventListener("input", draw);
  input.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && shown.length) {
      event.preventDefault();
      chosen = (chosen + by + shown.length) % shown.length;
      mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (shown.length) run(shown[chosen]);
    }
  });
  list.addEventListener("click", (event) => {
    const at = [...list.children].indexOf(event.target.closest("li"));
    if (shown[at]) run(shown[at]);
  });
})();
