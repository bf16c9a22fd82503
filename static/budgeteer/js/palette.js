// The command palette (Ctrl+K): every link, button, setting, item and model the page offers, and the workspaces, found
// by typing some of their letters.
(() => {
  const dialog = document.getElementById("palette");
  const input = document.getElementById("palette-input");
  const list = document.getElementById("palette-list");
  if (!dialog?.showModal) return;
  const MOST = 12;
  const words = (element) => (element.getAttribute("aria-label") ?? element.textContent).replace(/\s+/g, " ").trim();

  // Where commands are found, under which heading, and what choosing one does.
  const press = (element) => element.click();
  const goTo = (id) => document.dispatchEvent(new CustomEvent("setting", { detail: id }));
  const titleOf = (group, name) => (group ? `${group.querySelector("summary").firstElementChild.nextSibling.textContent.trim()}: ${name}` : name);
  const PLACES = [
    ["View", ".tabnav a", press, (e) => words(e).replace(/ \d$/, "")],
    ["Do", "#undo:not(:disabled), #redo:not(:disabled), #share, #pin, #apply-fix, [data-theme-toggle], [data-command]", press, words],
    ["Do", ".top .menu .pop button:not(.narrow-only, .narrow-only *)", (e) => {
      const field = e.form?.querySelector("#rename");
      if (!field) return e.click();
      setTimeout(() => { // past the press of the palette, which closes menus
        field.closest("details").open = true;
        field.focus();
        field.select();
      });
    }, words],
    ["Fix", ".note button[name=apply]", press, words],
    ["Setting", "#config-form .fl [id^=i-]:not(:disabled)", (e) => goTo(e.id), (e) =>
      titleOf(e.closest("details"), document.querySelector(`label[for="${CSS.escape(e.id)}"]`)?.textContent.trim() ?? "")],
    ["Export", "#export-toggle + .pop :is(a, button)", press, words],
    ["Item", ":is(.items, .hits, .msgs) tbody .c-name a", press, words],
    ["Model", "#i-model option:not(:checked)", (option) => {
      const select = option.closest("select");
      select.value = option.value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }, (e) => `Model: ${words(e)}`],
    ["Show", ".chips a, a.chip[href^='#']", press, words],
    ["Go to", ".top .menu .pop a, .nav a, .crumb a", press, (e) => words(e).replace(/ \?$/, "")],
  ];
  let commands = [];
  const gather = () => {
    const known = new Set();
    // Settings whose group is not opened yet stand in a list of ids and labels.
    const later = [...document.querySelectorAll("#config-form [data-settings]")].flatMap((element) =>
      element.dataset.settings.split("\n").map((line) => line.split("\t")).map(([id, label]) => (
        { kind: "Setting", run: () => goTo(id), element, title: titleOf(element.closest("details"), label) })));
    const there = PLACES.flatMap(([kind, where, run, name]) =>
      [...document.querySelectorAll(where)].map((element) => ({ kind, run, element, title: name(element) })));
    return [...there, ...later].filter(({ kind, title }) => title && !known.has(kind + title) && known.add(kind + title));
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
    // A setting that is named as well comes before what a fix makes of it.
    const weight = ({ kind }) => (wanted && kind === "Fix" ? 0.95 : 1);
    const found = commands.map((command) => ({ ...command, score: score(command.title, wanted) * weight(command) }));
    const best = found.filter((command) => command.score > 0).sort((a, b) => b.score - a.score).slice(0, MOST);
    shown = [...best, ...searchAll(input.value.trim())];
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
      none.textContent = "No results";
      list.append(none);
    }
    mark();
  };
  const run = (command) => {
    dialog.close();
    if (command?.element?.isConnected) command.run(command.element);
    else if (command?.url) location.assign(command.url);
  };

  // The workspaces stand on a page of their own; it is asked for once, when the palette is first opened.
  let workspaces = null;
  const findWorkspaces = async () => {
    const answer = await fetch("/w/");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const links = [...page.querySelectorAll("main a[href^='/w/']")].filter((link) => /^\/w\/[0-9a-f-]{36}\/$/.test(link.getAttribute("href")));
    const known = new Map(links.map((link) => [link.getAttribute("href"), words(link)]));
    return [...known].filter(([url, title]) => title && url !== location.pathname).map(([url, title]) => ({ kind: "Workspace", title, url }));
  };
  // What no list on this page holds is looked for in all items of the workspace.
  const searchAll = (text) => {
    const map = text && document.querySelector("#tab-map");
    if (!map) return [];
    const url = new URL(map.href);
    url.searchParams.set("q", text);
    url.hash = "view";
    return [{ kind: "Item", title: `Search all items for “${text}”`, url: url.href, score: 0.5 }];
  };

  const open = () => {
    document.getElementById("keys-dialog")?.close();
    if (dialog.open || document.querySelector("dialog[open]")) return;
    commands = gather();
    input.value = "";
    draw();
    dialog.showModal();
    input.focus();
    workspaces ??= findWorkspaces().catch(() => []);
    workspaces.then((found) => {
      commands = [...commands, ...found];
      if (dialog.open) draw();
    });
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
