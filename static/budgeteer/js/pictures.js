// A chart as a file, with the colours it has on the page; charts.js loads this with the first one that is saved.
const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linejoin", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "font-variant-numeric",
];
const PNG_SCALE = 2;

// The style sheet does not go along with a file: what it says of each element is written into its attributes.
const inked = (from, to) => {
  const style = getComputedStyle(from);
  if (style.display === "none" || style.visibility === "hidden") {
    to.remove();
    return;
  }
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    if (value) to.setAttribute(name, value.replaceAll(/url\("([^"]*#[^"]+)"\)/g, (_all, url) => `url(#${url.split("#")[1]})`));
  }
  for (const name of ["class", "hx-get", "hx-target", "hx-push-url", "href", "tabindex", "role", "data-arrows"]) to.removeAttribute(name);
  const children = [...to.children];
  [...from.children].forEach((child, at) => inked(child, children[at]));
};

// A picture of its own: its size in pixels, its background, and the patterns that it is filled with.
const standalone = (svg) => {
  const { width, height } = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true);
  svg.style.setProperty("--k", "1"); // a file has the size of its drawing, and letters to it
  inked(svg, copy);
  svg.style.removeProperty("--k");
  const box = svg.getAttribute("viewBox");
  const size = box ? box.split(" ").slice(2).map(Number) : [Math.round(width), Math.round(height)];
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", size[0]);
  copy.setAttribute("height", size[1]);
  copy.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(ground);
  const patterns = document.querySelector("svg.defs defs");
  if (patterns) {
    const own = patterns.cloneNode(true);
    inked(patterns, own);
    copy.prepend(own);
  }
  return { text: new XMLSerializer().serializeToString(copy), size };
};

const save = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

const painted = async ({ text, size }) => {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = size[0] * PNG_SCALE;
  canvas.height = size[1] * PNG_SCALE;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
};

// Saves the chart as "svg" or "png"; fails where the browser cannot draw it.
export const savePicture = async (svg, kind, name) => {
  const chart = standalone(svg);
  save(kind === "svg" ? new Blob([chart.text], { type: "image/svg+xml" }) : await painted(chart), name);
};
