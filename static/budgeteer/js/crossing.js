// Requests and answers that cross: what is pressed is sent once, in order, and answered to the page as it is by then; of
// two looks the last one is shown; what is typed stays; a page that is to be loaded anew waits for all of it. Without it
// the same forms and links work as plain requests.
(() => {
  const sender = document.getElementById("sender");
  const REGIONS = ["result", "inspector"];
  const shown = () => [...document.querySelectorAll("#result > input, #inspector > input")].map((input) => input.value).join("\n");

  // ---- looks: by region, the request that is under way; a later one takes its place ----
  const looks = new Map();
  const asked = new WeakMap(); // By request: what was shown then, and how many presses there were and were answered.
  let pressed = 0;
  let answered = 0;
  let drafting = null; // The request of a draft that is not answered yet.
  document.addEventListener("htmx:beforeRequest", ({ detail: { xhr, requestConfig, target, elt } }) => {
    if (!REGIONS.includes(target.id)) return;
    const isDraft = requestConfig.formData.has("draft");
    asked.set(xhr, { shown: elt === sender ? sending.shown : shown(), pressed, answered, isDraft });
    if (target.id === "result") {
      const rows = [...target.querySelectorAll("[id^=k]:is(tr, li)")].map((row) => row.id);
      if (rows.length) xhr.setRequestHeader("X-Have", rows.join(" "));
    }
    // The element that asked, and its events, may be gone by then.
    if (isDraft) {
      drafting = xhr;
      xhr.addEventListener("loadend", () => { if (drafting === xhr) drafting = null; });
    } else if (requestConfig.verb === "get") {
      const before = looks.get(target.id);
      looks.set(target.id, xhr);
      target.setAttribute("aria-busy", "true");
      before?.abort();
      xhr.addEventListener("loadend", () => {
        if (looks.get(target.id) !== xhr) return;
        looks.delete(target.id);
        target.removeAttribute("aria-busy");
        queueMicrotask(next); // by then the look that took its place, if one did, is under way
        queueMicrotask(leave);
      });
    } else {
      const press = sending;
      xhr.addEventListener("loadend", () => sent(press));
    }
  });

  // ---- presses: what is posted is gathered at once and sent by an element that no answer replaces, one at a time ----
  // htmx looks for what it replaces beside the element that asked: of a form that is gone it finds nothing, and drops
  // what waits for it. What a form does to something that is on its way ([data-again]: to a chosen range, to a plan,
  // to the last step) waits for that, and is pressed again on what came: each time, or once where it was pressed twice.
  const presses = [];
  let sending = null; // The press that is not answered yet.
  let released = null; // The press that is being pressed again.
  const lastOf = new Map(); // By form, when it was pressed last.
  const gathered = (elt) => {
    const values = new FormData();
    for (const [name, value] of htmx.values(elt, "post")) values.append(name, value);
    document.dispatchEvent(new CustomEvent("gather", { detail: { elt, values } }));
    return values;
  };
  const send = (press) => {
    sending = press;
    pressed += 1;
    sender.dataset.sending = "";
    press.button?.classList.add("htmx-request");
    const { path, values } = press;
    htmx.ajax("POST", path, { source: sender, target: "#result", swap: "innerHTML", values }).catch(() => {}).finally(() => sent(press));
  };
  const sent = (press) => {
    if (sending !== press) return; // it was said before
    press.button?.classList.remove("htmx-request");
    sending = null;
    answered += 1;
    delete sender.dataset.sending;
    next();
    if (!sending) document.dispatchEvent(new CustomEvent("idle"));
    leave();
  };
  const next = () => {
    while (presses.length && !sending) {
      const press = presses[0];
      if (press.again && looks.size) return;
      presses.shift();
      const there = press.again && document.getElementById(press.button.id);
      if (there) {
        released = press;
        there.click();
        released = null; // a button that is disabled by now asks for nothing
      } else if (press.values) {
        // A form that is still there was drawn anew in part: what it was drawn with is said as it is now.
        if (press.elt.isConnected) for (const { name, value } of press.elt.querySelectorAll("input[type=hidden]:not([name^='config.'])")) press.values.set(name, value);
        send(press);
      }
    }
  };
  const queue = (press) => {
    const isTwice = (one) => one?.again === "once" && one.button.id === press.button?.id;
    if (press.again && [sending, ...presses].some(isTwice)) return;
    drafting?.abort(); // What is saved does not wait for what is only shown.
    if (!sending && !presses.length && !(press.again && looks.size) && press.values) {
      send(press);
      return;
    }
    const before = presses.at(-1);
    if (before && before.elt === press.elt && !before.button && !press.button) {
      presses.pop(); // The same form with a later value.
      for (const name of before.values.getAll("touched")) press.values.append("touched", name);
      const pauses = [before, press].map((one) => one.values.get("pause_ms"));
      if (pauses.includes(null)) press.values.delete("pause_ms");
      else press.values.set("pause_ms", Math.max(...pauses));
    }
    presses.push(press);
  };
  document.addEventListener("htmx:confirm", (event) => {
    const { elt, verb, target, path, triggeringEvent } = event.detail;
    if (verb !== "post" || target.id !== "result" || elt === sender || triggeringEvent?.type === "preview") return;
    event.preventDefault();
    unsent.delete(elt.form ?? elt);
    const values = gathered(elt);
    const button = elt.matches("button") ? elt : triggeringEvent?.submitter ?? null;
    if (released) {
      send({ ...released, elt, path, values, button, shown: shown() });
      return;
    }
    const key = elt.id || path;
    const now = performance.now();
    if (lastOf.has(key)) values.set("pause_ms", Math.round(now - lastOf.get(key)));
    lastOf.set(key, now);
    queue({ elt, path, values, button, again: button && elt.dataset.again, shown: shown() });
  });
  document.addEventListener("press", ({ detail: id }) => {
    if (!sending && !presses.length && !looks.size) document.getElementById(id)?.click();
    else queue({ button: document.getElementById(id) ?? { id }, again: "each" });
  });

  // ---- answers ----
  const lookAgain = async () => {
    const url = location.pathname + location.search;
    for (const id of [...REGIONS].reverse()) {
      if (sending || looks.has(id)) continue; // a later look, or a press whose answer shows it all, is on its way
      const region = `#${id}`;
      try {
        await htmx.ajax("GET", url, { target: region, source: region, swap: "innerHTML" });
      } catch {
        // Overtaken by a later look.
      }
    }
  };
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { xhr, requestConfig, target } = detail;
    const then = asked.get(xhr);
    if (!then || !detail.shouldSwap) return;
    if (then.isDraft) {
      if (then.shown !== shown() || then.pressed !== pressed) detail.shouldSwap = false;
    } else if (requestConfig.verb === "post") {
      // Somebody has gone on to another view since: its numbers are asked for, this answer's view is not shown.
      if (then.shown === shown()) return;
      detail.swapOverride = "none";
      setTimeout(lookAgain);
    } else if (then.pressed !== pressed || then.answered !== answered) setTimeout(lookAgain);
  });

  // ---- a page that is loaded anew, since a job has ended, waits for what is pressed and for what is typed ----
  let leaving = ""; // Where to, once nothing would be lost.
  let study = null; // The job that makes what a view shows: once that view is gone, nothing waits for its end.
  let isLeaving = false; // The new page is asked for: nothing that this one asks for now would be shown.
  let departed = -Infinity; // When another page was asked for, which is on its way, or a file, after which this one stays.
  const DEPARTURE_MS = 10_000;
  addEventListener("beforeunload", () => { departed = performance.now(); });
  const unsent = new Set(); // The forms that are posted, with fields that were typed in since.
  const isTyped = (form) => form.isConnected && [...form.elements].some((field) => field.matches("textarea, input:not([type=hidden])") && field.value !== field.defaultValue);
  const leave = () => {
    if (study && !study.isConnected) leaving = "";
    if (!leaving || sending || presses.length || looks.size || [...unsent].some(isTyped)) return;
    const departure = departed + DEPARTURE_MS - performance.now();
    if (departure > 0) {
      setTimeout(leave, departure);
      return;
    }
    const there = leaving;
    leaving = "";
    isLeaving = true;
    document.dispatchEvent(new CustomEvent("leaving")); // app.js
    if (new URL(there, location.href).pathname === location.pathname) location.reload();
    else location.assign(there);
  };
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const { xhr } = event.detail;
    const there = xhr.getResponseHeader("HX-Redirect") ?? (xhr.getResponseHeader("HX-Refresh") === "true" ? location.href : "");
    if (!there) return;
    event.preventDefault();
    study = event.detail.requestConfig.elt.closest("[data-study]");
    leaving = there;
    leave();
    const isHeld = leaving && !sending && !presses.length && !looks.size;
    if (isHeld) document.dispatchEvent(new CustomEvent("status", { detail: "Done. The page is shown anew once what you typed is saved or cleared." }));
  });
  document.addEventListener("htmx:confirm", (event) => {
    const { elt, verb } = event.detail;
    if (!isLeaving || verb !== "get" || !elt.href) return;
    event.preventDefault();
    location.assign(elt.href); // in place of the page that is on its way
  });
  document.addEventListener("input", ({ target: { form } }) => {
    if (form?.method === "post") unsent.add(form);
    leave();
  });
  // What is posted is under way from here on; a page of its own takes the place of this one anyway.
  document.addEventListener("submit", ({ target }) => unsent.delete(target), true);

  // ---- what is typed and not sent stays, where the same field of the same thing is there again; a longer text also
  // until the thing is looked at again, by what the field showed then ----
  const FIELDS = ":is(#result, #inspector) :is(textarea, input[type=search], input:not([type]))[id]";
  const thingOf = ({ form }) => [form.getAttribute("action"), ...["item", "block", "key"].map((name) => form.elements.namedItem(name)?.value)].join("\n");
  const isChanged = (field) => field.form && field.value !== field.defaultValue;
  const DRAFTS = `budgeteer.drafts ${location.pathname}`;
  const drafts = new Map();
  const draftOf = (field) => [field.id, field.form.dataset.range, thingOf(field)].join("\n");
  const keepDrafts = () => {
    for (const field of document.querySelectorAll(FIELDS)) {
      if (!field.form) continue;
      if (isChanged(field) && unsent.has(field.form)) drafts.set(draftOf(field), [field.defaultValue, field.value]);
      else drafts.delete(draftOf(field));
    }
    try {
      sessionStorage.setItem(DRAFTS, JSON.stringify([...drafts]));
    } catch {
      // Storage is refused or full: drafts last for this page.
    }
  };
  const give = (field, value) => {
    field.value = value;
    if (field.form.method === "post") unsent.add(field.form);
    for (let box = field.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  };
  const giveDrafts = () => {
    for (const field of document.querySelectorAll(FIELDS)) {
      const [shownThen, value] = (field.form && drafts.get(draftOf(field))) ?? [];
      if (value !== undefined && shownThen === field.defaultValue && field.value === shownThen) give(field, value);
    }
  };
  try {
    for (const [key, draft] of JSON.parse(sessionStorage.getItem(DRAFTS) ?? "[]")) drafts.set(key, draft);
  } catch {
    // As above.
  }
  giveDrafts();
  addEventListener("pagehide", keepDrafts);
  let typed = [];
  document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
    if (!REGIONS.includes(target.id)) return;
    keepDrafts();
    typed = [...document.querySelectorAll(FIELDS)].filter(isChanged).map((field) => ({
      field,
      thing: thingOf(field),
      isFocused: field === document.activeElement,
      selection: [field.selectionStart, field.selectionEnd],
    }));
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const { field, thing, isFocused, selection } of typed.splice(0)) {
      const there = document.getElementById(field.id);
      if (!there?.form || there === field || thingOf(there) !== thing || there.value === field.value) continue;
      // What the server says of it is newer, but for a search that somebody goes on to type.
      const isSearch = field.type === "search";
      if (isSearch ? !isFocused : there.defaultValue !== field.defaultValue) continue;
      give(there, field.value);
      if (isFocused) {
        there.focus({ preventScroll: true });
        there.setSelectionRange(...selection);
      }
      if (isSearch) there.dispatchEvent(new Event("input", { bubbles: true }));
    }
    giveDrafts();
  });

  // ---- a button that is replaced between its press and its release is pressed all the same ----
  let held = null;
  const pressable = (target) => target?.closest?.("button, a[href], summary") ?? null;
  const sameAs = (one, other) => one.id === other.id && one.value === other.value && one.textContent === other.textContent;
  const release = (there) => {
    const was = held;
    held = null;
    if (was && there && !was.isConnected && sameAs(was, there)) setTimeout(() => there.click());
  };
  document.addEventListener("pointerdown", ({ target, button }) => { held = button ? null : pressable(target); }, true);
  document.addEventListener("pointerup", ({ target }) => release(pressable(target)), true);
  document.addEventListener("keydown", ({ key, target }) => { if (key === " ") held = pressable(target); }, true);
  document.addEventListener("keyup", ({ key }) => { if (key === " ") release(pressable(document.activeElement)); }, true);
})();
