// What every page shares: theme, menus, dialogs, copy buttons, the one status line, the help key.
(() => {
  const root = document.documentElement;

  // htmx reports a request that a later one made pointless as an error; of one that failed it says htmx:sendError too.
  const complain = console.error;
  console.error = (...words) => {
    if (!/^htmx:(sendAbort|afterRequest), /.test(words[0])) complain.apply(console, words);
  };

  const remember = (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // It lasts for this page.
    }
  };

  // ---- status: one polite line, at most once a second; the newest sentence wins ----
  const status = document.getElementById("status");
  let pending = "";
  let waiting = 0;
  let clearing = 0;
  let told = ""; // by the server, last
  let undoable = ""; // what of it Undo takes back
  const read = () => status?.firstChild?.data;
  // Never over a primary button: then it is at the top.
  const place = () => {
    status.classList.remove("up");
    const { left, right, top, bottom } = status.getBoundingClientRect();
    status.classList.toggle("up", [...document.querySelectorAll(".btn.p")].some((one) => {
      const box = one.getBoundingClientRect();
      return box.right > left && box.left < right && box.bottom > top && box.top < bottom;
    }));
  };
  addEventListener("scroll", () => read() && place(), { capture: true, passive: true });
  addEventListener("pointerdown", ({ target }) => {
    if (!waiting && read() && !status.contains(target)) status.textContent = "";
  });
  const speak = () => {
    waiting = 0;
    if (!pending || !status) return;
    // An open dialog hides what is outside of it, from the eye and from a screen reader.
    const holder = document.querySelector("dialog[open]") ?? document.body;
    if (status.parentElement !== holder) holder.append(status);
    status.textContent = pending;
    if (pending === undoable) status.insertAdjacentHTML("beforeend", '<button class="btn sm" data-undo>Undo</button>');
    place();
    pending = "";
    waiting = setTimeout(speak, 1000);
    clearTimeout(clearing);
    clearing = setTimeout(() => { status.textContent = ""; }, undoable ? 12000 : 6000);
  };
  const announce = (sentence) => {
    pending = String(sentence);
    if (!waiting) speak();
  };
  // Other scripts, and the server in HX-Trigger.
  document.addEventListener("status", ({ detail }) => {
    if (detail?.value) told = String(detail.value);
    undoable = detail?.undo ? told : "";
    announce(detail?.value ?? detail ?? "");
  });
  // It goes with the next change: what was undone is not what is being changed.
  for (const kind of ["input", "submit"]) document.addEventListener(kind, () => {
    if (read() === told) status.textContent = "";
  });
  // A page that is loaded anew by itself (crossing.js) says again what may not have been read.
  const SAID = "budgeteer.said";
  document.addEventListener("leaving", () => {
    if (!told || ![pending, read()].includes(told)) return;
    try {
      sessionStorage.setItem(SAID, JSON.stringify([told, undoable]));
    } catch {
      // Storage is refused.
    }
  });
  try {
    const said = sessionStorage.getItem(SAID);
    sessionStorage.removeItem(SAID);
    if (said) {
      [told, undoable] = JSON.parse(said); // the next page may come as soon
      announce(told);
    }
  } catch {
    // As above.
  }
  document.addEventListener("htmx:sendError", () => announce("The server cannot be reached. Nothing was lost; try again."));
  document.addEventListener("htmx:responseError", (event) => {
    const { status: code } = event.detail.xhr;
    if (event.detail.xhr.getResponseHeader("HX-Trigger")) return; // The server said it in its own words.
    announce(code === 403 ? "You are signed out or the page is too old. Reload it." : `The server answered ${code}. Nothing was saved; try again.`);
  });

  // ---- a file that misses the place where files are taken never replaces the page ----
  const brings = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (brings(event) && !event.target.closest?.("input[type=file]")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!brings(event) || event.defaultPrevented || event.target.closest?.("input[type=file]")) return;
    event.preventDefault();
    announce("Files are taken on the first page and in a workspace");
  });

  // ---- theme ----
  const dark = matchMedia("(prefers-color-scheme: dark)");
  for (const button of document.querySelectorAll("[data-theme-toggle]")) {
    button.addEventListener("click", () => {
      const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
      remember("budgeteer.theme", root.dataset.theme);
      announce(`${root.dataset.theme === "dark" ? "Dark" : "Light"} theme`);
    });
  }

  // ---- menus close on Escape, on a click elsewhere and when the focus leaves ----
  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (menu !== except) menu.open = false;
    }
  };
  document.addEventListener("click", (event) => closeMenus(event.target.closest("details[data-menu]")));
  document.addEventListener("focusin", (event) => closeMenus(event.target.closest("details[data-menu]")));

  // ---- buttons that do one small thing ----
  const textOf = (element) => ("value" in element ? element.value : element.textContent);
  // The button itself says it as well: there one looks.
  const saidOn = (button, sentence) => {
    if (button.dataset.said) return;
    const before = [...button.childNodes];
    button.dataset.said = "1";
    button.style.minWidth = `${button.offsetWidth}px`;
    button.replaceChildren(sentence);
    setTimeout(() => {
      button.replaceChildren(...before);
      button.style.minWidth = "";
      delete button.dataset.said;
    }, 2000);
  };
  // A link that has just been made is copied without a press, where the browser allows that; a decision has the focus.
  document.addEventListener("htmx:load", async ({ detail: { elt } }) => {
    const standing = elt.dataset?.arrived;
    if (!standing) return;
    elt.scrollIntoView({ block: "center" });
    const button = elt.querySelector("[data-copy]");
    if (!button) {
      elt.querySelector(".btn")?.focus({ preventScroll: true });
      return announce(standing === "held" ? "The report waits for your decision: the link opens nothing yet" : "The report was not made");
    }
    try {
      await navigator.clipboard.writeText(textOf(document.querySelector(button.dataset.copy)));
      saidOn(button, "Copied");
      announce("The report is ready and its link is copied");
    } catch {
      announce("The report is ready");
    }
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy],[data-dialog],[data-close],[data-undo]");
    if (!button) return;
    if ("undo" in button.dataset) {
      const undo = document.getElementById("undo");
      undo.focus();
      return undo.click();
    }
    if (button.dataset.copy) {
      const from = document.querySelector(button.dataset.copy);
      if (!from) return;
      try {
        await navigator.clipboard.writeText(textOf(from));
        saidOn(button, "Copied");
        announce(button.dataset.copied ?? "Copied");
      } catch {
        getSelection().selectAllChildren(from);
        announce("The browser refused to copy: the text is selected, press Ctrl+C");
      }
    } else if (button.dataset.dialog) {
      const dialog = document.querySelector(button.dataset.dialog);
      if (dialog?.showModal) {
        event.preventDefault();
        dialog.showModal();
      }
    } else {
      button.closest("dialog")?.close();
    }
  });

  // A select that applies itself: <select data-submit>. Without script its form keeps a button.
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });

  // ---- keys: off when the reader says so, never inside a field ----
  const inField = (target) => target.closest("input,textarea,select,[contenteditable],dialog[open]");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const menu = document.querySelector("details[data-menu][open]");
      if (menu) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
      return;
    }
    if (root.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return;
    if (event.key === "?") {
      document.getElementById("keys-dialog")?.showModal();
      document.querySelector("[data-keys]")?.click();
    }
    const search = event.key === "/" && document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  });

  const keys = document.querySelector("[data-keys-switch]");
  if (keys) {
    keys.checked = root.dataset.keys !== "off";
    keys.addEventListener("change", () => {
      root.dataset.keys = keys.checked ? "on" : "off";
      remember("budgeteer.keys", root.dataset.keys);
      announce(keys.checked ? "Keyboard shortcuts on" : "Keyboard shortcuts off");
    });
  }
})();
