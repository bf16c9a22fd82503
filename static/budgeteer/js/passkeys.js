// Passkeys: a form with data-passkey asks the device before it is sent, and carries its answer. Without a browser that
// knows them, or outside of a secure context, the forms stay hidden and their page says what else there is.
(() => {
  const isKnown = typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === "function";

  const SAID = {
    NotAllowedError: "The device did not answer: it was cancelled, took too long, or has no passkey for this site.",
    InvalidStateError: "This device has a passkey for this account already.",
    SecurityError: "This address cannot have passkeys: they need a host name and https.",
  };

  async function answerOf(form) {
    const sent = { method: "POST", headers: { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value } };
    const asked = await fetch(form.dataset.options, sent);
    if (!asked.ok) throw new Error(asked.status === 429 ? await asked.text() : "The dashboard did not answer. Try again.");
    const options = await asked.json();
    const credential =
      form.dataset.passkey === "make"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    return JSON.stringify(credential.toJSON());
  }

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!isKnown) continue;
    form.hidden = false;
    const place = form.querySelector("[data-passkey-problem]");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const button = form.querySelector("button[type=submit]");
      place.textContent = "";
      button.disabled = true;
      try {
        form.elements.credential.value = await answerOf(form);
        form.submit();
      } catch (error) {
        place.textContent = SAID[error.name] ?? error.message;
        button.disabled = false;
      }
    });
  }
  for (const note of document.querySelectorAll("[data-passkey-unknown]")) note.hidden = isKnown;
})();
