// Charts: read by pointer and slider, dragged, saved as pictures (pictures.js). The tables have the same figures without it.
(() => {
  // ---- figures of a chart: its table, asked for once when somebody first points at it ----
  const tables = new Map();
  const figuresOf = async (url) => {
    const answer = await fetch(url);
    if (!answer.ok || !answer.headers.get("Content-Type")?.startsWith("text/csv")) return [];
    const [head, ...lines] = (await answer.text()).trim().split("\r\n").map((line) => line.split(","));
    return lines.map((line) => Object.fromEntries(line.map((cell, at) => [head[at], cell])));
  };
  const tableOf = (slider) => {
    // A new slider comes with every answer: what it was asked for before may be other figures by now.
    if (!tables.has(slider)) {
      tables.clear();
      tables.set(slider, figuresOf(slider.dataset.figures).catch(() => []));
    }
    return tables.get(slider);
  };
  const written = (text) => Number(text).toLocaleString("en");
  const SAID = {
    request: (rows, at) => {
      const row = rows[at - 1];
      if (!row) return "";
      const over = Number(row.above_limit_tokens) ? `, ${written(row.above_limit_tokens)} above the limit` : "";
      const reported = row.reported_tokens ? `, ${written(row.reported_tokens)} reported` : "";
      return `Request ${written(row.request)} (turn ${row.turn}): ${written(row.requested_tokens)} requested${over}, ${written(row.sent_tokens)} sent${reported}`;
    },
    from_value: (rows, at) => {
      const row = rows.findLast((one) => Number(one.from_value) <= at) ?? rows[0];
      return row ? `${written(at)}: ${written(row.kept_items)} items kept, ${written(row.sent_tokens)} tokens sent${row.fits === "yes" ? "" : ", cannot fit"}` : "";
    },
  };
  const placeOf = (svg, value) => {
    const { left, right, cells, low, high } = svg.dataset;
    const share = cells ? (value - 0.5) / Number(cells) : (value - Number(low)) / (Number(high) - Number(low));
    return Number(left) + Math.min(Math.max(share, 0), 1) * (Number(right) - Number(left));
  };
  const valueAt = (svg, event) => {
    const { left, right, cells, low, high } = svg.dataset;
    const frame = svg.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * svg.viewBox.baseVal.width;
    const share = Math.min(Math.max((x - Number(left)) / (Number(right) - Number(left)), 0), 1);
    return cells ? Math.min(Math.floor(share * Number(cells)) + 1, Number(cells)) : Math.round(Number(low) + share * (Number(high) - Number(low)));
  };
  const follow = async (slider, value) => {
    const use = document.getElementById("sweep-use");
    if (use && slider.id === "sweep-at") {
      const [whole, added, part] = [value, use.dataset.added, use.dataset.part].map(Math.round);
      use.value = `${use.dataset.path}=${whole + (part ? Math.min(added, Math.floor(whole / part)) : added)}`;
    }
    for (const svg of document.querySelectorAll(`[data-follow="${slider.id}"]`)) {
      const cursor = svg.querySelector("[data-cursor]");
      cursor.setAttribute("transform", `translate(${placeOf(svg, value)} 0)`);
      cursor.setAttribute("visibility", "visible");
    }
    const rows = await tableOf(slider);
    const line = document.getElementById(slider.dataset.readoutOf);
    if (!line || !rows.length) return;
    const said = SAID[Object.keys(rows[0])[0]](rows, value);
    line.textContent = said;
    slider.setAttribute("aria-valuetext", said);
  };
  const sliderOf = (target) => {
    const svg = target.closest?.("[data-follow]");
    const slider = svg && document.getElementById(svg.dataset.follow);
    return slider ? [svg, slider] : [];
  };
  // The line of a sweep is dragged and let go; then its value is used, as one step that can be undone.
  let dragged = null;
  document.addEventListener("pointerdown", (event) => {
    const [svg, slider] = sliderOf(event.target);
    if (!slider || !("drags" in svg.dataset) || event.button !== 0) return;
    dragged = { svg, slider, from: event.clientX, moved: false };
    svg.setPointerCapture(event.pointerId);
  });
  document.addEventListener("pointermove", (event) => {
    const [svg, slider] = dragged ? [dragged.svg, dragged.slider] : sliderOf(event.target);
    if (!slider) return;
    const value = valueAt(svg, event);
    if (dragged) {
      dragged.moved ||= Math.abs(event.clientX - dragged.from) > 3;
      slider.value = value;
    }
    follow(slider, value);
  });
  document.addEventListener("pointerup", () => {
    const done = dragged;
    dragged = null;
    if (!done?.moved) return;
    follow(done.slider, Number(done.slider.value));
    document.getElementById("sweep-use")?.click();
  });
  document.addEventListener("pointercancel", () => { dragged = null; });
  document.addEventListener("pointerout", (event) => {
    const [svg, slider] = sliderOf(event.target);
    if (slider && !dragged && !svg.contains(event.relatedTarget)) follow(slider, Number(slider.value));
  });
  document.addEventListener("input", ({ target }) => {
    if (target.dataset?.readoutOf) follow(target, Number(target.value));
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target.dataset?.readoutOf) follow(target, Number(target.value));
  });
  document.addEventListener("click", (event) => {
    const [svg, slider] = sliderOf(event.target);
    if (!slider || event.target.closest("a")) return;
    slider.value = valueAt(svg, event);
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  });

  // The request that is chosen keeps its line and its figures.
  const keepChosen = () => {
    const slider = document.querySelector("[data-chosen]");
    if (slider) follow(slider, Number(slider.value));
  };
  document.addEventListener("htmx:afterSettle", ({ detail }) => detail.target.id === "result" && keepChosen());
  keepChosen();

  const pictures = document.currentScript.dataset.pictures;
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest?.("[data-chart]");
    const svg = button && [...document.querySelectorAll(button.dataset.chart)].find((one) => one.getClientRects().length);
    if (!svg) return;
    const { file, as } = button.dataset;
    let said = `Saved ${file}.${as}`;
    try {
      await (await import(pictures)).savePicture(svg, as, `${file}.${as}`);
    } catch {
      said = "The browser could not draw this picture: download it as SVG instead";
    }
    document.dispatchEvent(new CustomEvent("status", { detail: said }));
  });
})();
