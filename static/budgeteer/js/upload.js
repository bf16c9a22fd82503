// The drop zone: dropping and choosing files or folders, the bytes bar, the kept draft.
// Without this script the same form posts its files and text in the ordinary way.
(() => {
  const form = document.querySelector("[data-dropzone]");
  if (!form) return;

  const DRAFT = "budgeteer.draft";
  const PASTE_AS_FILE = 1_000_000; // characters; a longer paste travels as a file, past the limits on form fields
  const MOST_FILES = 20_000;
  const LEFT_OUT = /(^|\/)(\.git|node_modules|__MACOSX|\.DS_Store)(\/|$)/;
  const part = (name) => form.querySelector(`[data-${name}]`);
  const title = part("drop-title");
  const text = part("draft");
  const note = part("draft-note");
  const refused = part("refused");
  const sending = part("sending");
  const bar = part("sending-bar");
  const idleTitle = title.textContent;
  let request = null;

  // ---- the draft: kept on every key, given back when the page comes back ----
  const store = (value) => {
    try {
      if (value) localStorage.setItem(DRAFT, value);
      else localStorage.removeItem(DRAFT);
      return true;
    } catch {
      return false;
    }
  };
  const kept = () => {
    try {
      return localStorage.getItem(DRAFT) ?? "";
    } catch {
      return "";
    }
  };
  if (!text.value && kept()) {
    text.value = kept();
    note.textContent = "Draft kept in this browser";
  }
  let saving = 0;
  text.addEventListener("input", () => {
    clearTimeout(saving);
    saving = setTimeout(() => {
      const done = store(text.value);
      note.textContent = !text.value ? "" : done ? "Draft kept in this browser" : "Too long to be kept as a draft";
    }, 300);
  });

  // ---- what the draft would be read as, asked once the typing pauses ----
  const hint = part("hint");
  const LOOK = 200_000;
  let asking = null;
  let pause = 0;
  const look = async () => {
    asking?.abort();
    refused.replaceChildren();
    if (!text.value.trim() || text.value.length > LOOK) return hint.replaceChildren();
    asking = new AbortController();
    try {
      const data = new FormData();
      data.set("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
      data.set("text", text.value);
      const answer = await fetch(hint.dataset.hint, { method: "POST", body: data, signal: asking.signal });
      if (!answer.ok) return hint.replaceChildren();
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      hint.replaceChildren(...[...page.body.children].map((child) => document.importNode(child, true)));
    } catch {
      // The next key asks again.
    }
  };
  text.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(look, 500);
  });
  if (text.value && !refused.firstElementChild) look();

  addEventListener("pagehide", () => store(text.value));

  // ---- what the server or this script refuses, said in place ----
  const refuse = (sentence) => {
    const line = document.createElement("p");
    line.className = "msg";
    line.textContent = sentence;
    refused.replaceChildren(line);
  };

  const size = (bytes) => {
    const unit = bytes >= 1e9 ? ["GB", 1e9] : bytes >= 1e6 ? ["MB", 1e6] : bytes >= 1e3 ? ["kB", 1e3] : ["bytes", 1];
    return `${(bytes / unit[1]).toFixed(unit[1] > 1e3 ? 1 : 0)} ${unit[0]}`;
  };

  const idle = () => {
    request = null;
    sending.hidden = true;
    form.removeAttribute("aria-busy");
    for (const input of form.querySelectorAll("input[type=file]")) input.value = "";
  };

  const send = (data, what, clearsDraft) => {
    if (request) return;
    clearTimeout(pause);
    asking?.abort();
    hint.replaceChildren();
    refused.replaceChildren();
    sending.hidden = false;
    form.setAttribute("aria-busy", "true");
    part("sending-what").textContent = what;
    part("sending-how").textContent = "sending…";
    bar.removeAttribute("value");
    request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request", "true");
    request.upload.addEventListener("progress", (event) => {
      bar.value = event.lengthComputable ? event.loaded / event.total : 0;
      part("sending-how").textContent = `${size(event.loaded)} of ${size(event.total)}`;
    });
    request.upload.addEventListener("load", () => {
      bar.removeAttribute("value");
      part("sending-how").textContent = "received, storing…";
    });
    request.addEventListener("load", () => answered(request, clearsDraft));
    request.addEventListener("error", () => {
      refuse("The upload did not reach the server. Nothing is lost: check the connection and try again.");
      idle();
    });
    request.addEventListener("abort", idle);
    request.send(data);
  };

  const answered = (answer, clearsDraft) => {
    const there = answer.getResponseHeader("HX-Redirect");
    const moved = answer.status < 400 && new URL(answer.responseURL).pathname !== new URL(form.action).pathname;
    if (there || moved) {
      if (clearsDraft) {
        text.value = "";
        store("");
      }
      location.assign(there ?? answer.responseURL);
      return;
    }
    const page = new DOMParser().parseFromString(answer.responseText, "text/html");
    const said = page.querySelector("[data-refused]")?.children.length ? page.querySelector("[data-refused]") : null;
    if (said) refused.replaceChildren(...[...said.children].map((child) => document.importNode(child, true)));
    else if (answer.status === 413) refuse("That is more than the server takes in one request. Upload fewer or smaller files.");
    else if (answer.status === 403) refuse("You are signed out, or this page is too old. Reload it; the draft stays.");
    else refuse(`The server answered ${answer.status} and stored nothing. Try again; the draft stays.`);
    idle();
  };

  const base = () => {
    const data = new FormData();
    data.set("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
    const format = form.querySelector("[name=format]");
    if (format?.value) data.set("format", format.value);
    for (const extra of form.querySelectorAll("input[type=hidden]")) data.set(extra.name, extra.value);
    return data;
  };

  const named = (count) => (count === 1 ? "1 file" : `${count.toLocaleString("en")} files`);

  const sendFiles = (files) => {
    if (!files.length) return;
    const data = base();
    for (const file of files) data.append("files", file);
    send(data, files.length === 1 ? files[0].name : named(files.length), false);
  };

  // entries: [{file, path}] of one folder
  const sendFolder = (entries, loose = []) => {
    const wanted = entries.filter((entry) => !LEFT_OUT.test(entry.path));
    if (!wanted.length && !loose.length) return refuse("The folder is empty. Choose one that holds files.");
    if (wanted.length > MOST_FILES) {
      return refuse(`The folder holds ${wanted.length.toLocaleString("en")} files; ${MOST_FILES.toLocaleString("en")} fit. Choose a folder inside it, or upload a zip.`);
    }
    const data = base();
    for (const file of loose) data.append("files", file);
    const listed = wanted.map((entry) => ({ path: entry.path, modified: entry.file.lastModified }));
    for (const entry of wanted) data.append("folder", entry.file, entry.file.name);
    data.set("paths", JSON.stringify(listed));
    send(data, `${(wanted[0]?.path ?? "").split("/")[0]}: ${named(wanted.length)}`, false);
  };

  for (const input of form.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => {
      const files = [...input.files];
      if (input.name === "files") sendFiles(files);
      else sendFolder(files.map((file) => ({ file, path: file.webkitRelativePath || file.name })));
    });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const pasted = text.value;
    if (!pasted.trim()) {
      refuse("Nothing was chosen and nothing was pasted. Choose a file, drop one, or paste text into the box.");
      text.focus();
      return;
    }
    store(pasted);
    const data = base();
    if (pasted.length > PASTE_AS_FILE) data.set("files", new File([pasted], "pasted.txt", { type: "text/plain" }));
    else data.set("text", pasted);
    if (event.submitter?.name) data.set(event.submitter.name, event.submitter.value);
    send(data, "Pasted text", true);
  });

  part("sending-stop").addEventListener("click", () => request?.abort());

  // ---- dropping, anywhere on the page ----
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  let depth = 0;
  const drag = (on) => {
    form.classList.toggle("drag", on);
    title.textContent = on ? "Release to import" : idleTitle;
  };
  addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    depth += 1;
    drag(true);
  });
  addEventListener("dragleave", (event) => {
    if (!hasFiles(event)) return;
    depth = Math.max(depth - 1, 0);
    if (!depth) drag(false);
  });
  addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    drag(false);
    // Entries must be taken before the first await: the browser clears them afterwards.
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
    const loose = dropped.filter((one) => !one.entry?.isDirectory && one.file).map((one) => one.file);
    const folders = dropped.filter((one) => one.entry?.isDirectory).map((one) => one.entry);
    if (!folders.length) return sendFiles(loose);
    try {
      const found = [];
      for (const folder of folders) await walk(folder, folder.name, found);
      sendFolder(found, loose);
    } catch {
      refuse("The browser could not read that folder. Choose it with the Folder button, or upload it as a zip.");
    }
  });

  const walk = async (folder, path, found) => {
    const reader = folder.createReader();
    for (;;) {
      const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!entries.length) return;
      for (const entry of entries) {
        const inner = `${path}/${entry.name}`;
        if (LEFT_OUT.test(inner) || found.length > MOST_FILES) continue;
        if (entry.isDirectory) await walk(entry, inner, found);
        else found.push({ path: inner, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
      }
    }
  };
})();
