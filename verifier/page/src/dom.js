// Making elements. No text is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fillIn(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== ""),
  );
  return node;
}

/** An HTML element: `on…` attributes are listeners, false and null ones are left out. */
export const el = (name, attributes = {}, ...children) =>
  fillIn(document.createElement(name), attributes, children);

/** An SVG element. */
export const svg = (name, attributes = {}, ...children) =>
  fillIn(document.createElementNS(SVG, name), attributes, children);

/** A file handed to the user. */
export function save(name, data, type) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
