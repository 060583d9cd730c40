// A JSON reader that hides nothing: duplicate names are seen, numbers are judged by value, and what
// RFC 8259 does not allow is refused (PROTOCOL.md, F2). Objects become Maps in the order read.

const DEPTH = 16;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
];

export class JsonError extends Error {}

/**
 * @param {string} text
 * @returns {{value: any, duplicate: string[] | null}} `duplicate` is the path of names to the first
 *   name met twice in one object
 * @throws {JsonError} where the text is not one JSON value
 */
export function parse(text) {
  let at = 0;
  let duplicate = null;

  const fail = () => {
    throw new JsonError(`not JSON at character ${at}`);
  };
  const blank = () => {
    while (at < text.length && " \t\n\r".includes(text[at])) at++;
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) fail();
    at += found.length;
    return found;
  };

  const string = () => {
    let read = "";
    for (at++; ;) {
      read += match(PLAIN);
      const end = text[at++];
      if (end === '"') return read;
      if (end !== "\\") fail();
      const escape = text[at++];
      if (escape === "u") {
        const hex = text.slice(at, at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail();
        read += String.fromCharCode(parseInt(hex, 16));
        at += 4;
      } else if (escape !== undefined && Object.hasOwn(ESCAPES, escape)) {
        read += ESCAPES[escape];
      } else fail();
    }
  };

  /** What stands between two brackets, with a comma between. */
  const items = (close, depth, item) => {
    if (depth > DEPTH) fail();
    at++;
    blank();
    if (text[at] === close) {
      at++;
      return;
    }
    for (;;) {
      item();
      blank();
      const next = text[at++];
      if (next === close) return;
      if (next !== ",") fail();
      blank();
    }
  };

  const value = (path, depth) => {
    if (text[at] === "{") {
      const object = new Map();
      items("}", depth + 1, () => {
        if (text[at] !== '"') fail();
        const name = string();
        if (object.has(name)) duplicate ??= [...path, name];
        blank();
        if (text[at++] !== ":") fail();
        blank();
        object.set(name, value([...path, name], depth + 1));
      });
      return object;
    }
    if (text[at] === "[") {
      const array = [];
      items("]", depth + 1, () => array.push(value(path, depth + 1)));
      return array;
    }
    if (text[at] === '"') return string();
    for (const [word, meaning] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    return Number(match(NUMBER));
  };

  blank();
  const read = value([], 0);
  blank();
  if (at < text.length) fail();
  return { value: read, duplicate };
}

/** L4: the one way to write a value; Maps and plain objects in their order. */
export function write(value) {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const pairs = value instanceof Map ? [...value] : Object.entries(value);
    return `{${pairs.map(([name, inner]) => `${write(name)}:${write(inner)}`).join(",")}}`;
  }
  // -0 is 0; integers up to 2^53 - 1 are written in plain decimal by JavaScript.
  return typeof value === "number" ? String(value + 0) : String(value);
}
