// The legal plays of a roll (rules/README.md, R10 to R12).
import { BAR, blocked } from "./board.js";
import { writePlay } from "./notation.js";

/** Where a checker on `from` comes to with a die, or -1 where it may not go. 0 is off. */
function target({ other }, from, die, highest, style) {
  const to = from - die;
  if (to >= 1) return blocked(other, to) ? -1 : to;
  if (highest > 6) return -1;
  return to === 0 || style.loose_bearing_off || from === highest ? 0 : -1;
}

function step(node, from, to, style) {
  const side = [...node.side];
  side[from - 1]--;
  let { other, hits, held } = node;
  if (to > 0) {
    side[to - 1]++;
    if (other[24 - to] === 1) {
      other = [...other];
      other[24 - to] = 0;
      other[24]++;
      hits = [...hits, to];
      // R11: the checker that hit stays where it is.
      if (style.no_hit_and_run_at_home && to <= 6) held = [...held, to];
    }
  }
  return { side, other, hits, held, steps: [...node.steps, { from, to }] };
}

/** All positions one die leads to, each once: what is hit says how the other side stands. */
function play(nodes, die, style) {
  const reached = new Map();
  for (const node of nodes) {
    const highest = node.side.findLastIndex((count) => count > 0) + 1;
    for (let from = highest; from >= (highest === BAR ? BAR : 1); from--) {
      const free = node.side[from - 1] - (node.held.includes(from) ? 1 : 0);
      if (free < 1) continue;
      const to = target(node, from, die, highest, style);
      if (to < 0) continue;
      const next = step(node, from, to, style);
      const key = String.fromCharCode(...next.side) + [...next.hits].sort();
      if (!reached.has(key)) reached.set(key, next);
    }
  }
  return [...reached.values()];
}

/**
 * R10: the ends of all ways that play as many dice as can be played, most of them once.
 * @param {number[]} side the mover's 25 counts
 * @param {number[]} other the opponent's, in its own numbers
 * @param {number[]} dice two
 * @param {{loose_bearing_off: boolean, no_hit_and_run_at_home: boolean}} style
 * @returns {{side: number[], other: number[], hits: number[], steps: object[]}[]} the positions and
 *   one way to each; empty where nothing can be played
 */
export function legalEnds(side, other, [a, b], style) {
  const start = { side, other, hits: [], held: [], steps: [] };
  if (a === b) {
    let last = [];
    for (let i = 0, nodes = [start]; i < 4 && nodes.length > 0; i++) {
      nodes = play(nodes, a, style);
      if (nodes.length > 0) last = nodes;
    }
    return last;
  }
  const high = play([start], Math.max(a, b), style);
  const low = play([start], Math.min(a, b), style);
  const both = [...play(high, Math.min(a, b), style), ...play(low, Math.max(a, b), style)];
  if (both.length > 0) return both;
  return high.length > 0 ? high : low;
}

const JOURNEY = /^(bar|\d+)\/(?:.*\/)?(off|\d+)\*?(?:\((\d)\))?$/;
const point = (name) => (name === "bar" ? BAR : name === "off" ? 0 : Number(name));

/** The mover's checkers after a play, by its text alone; null where that says nothing. */
function sideAfter(side, text) {
  const after = [...side];
  for (const journey of text.split(" ")) {
    const read = JOURNEY.exec(journey);
    if (!read) return null;
    const [from, to, count] = [point(read[1]), point(read[2]), Number(read[3] ?? 1)];
    after[from - 1] -= count;
    if (to > 0) after[to - 1] += count;
  }
  return after;
}

/**
 * R10, R12: the legal play with this canonical text.
 * @param {object[]} ends from `legalEnds`
 * @param {number[]} side the mover's counts before it
 * @param {string} text
 * @returns {object | undefined}
 */
export function playWritten(ends, side, text) {
  const after = sideAfter(side, text);
  // Writing is dear: only what leads there is written, to see that the text is the canonical one.
  return after === null
    ? undefined
    : ends.find(
        (end) =>
          end.side.every((count, i) => count === after[i]) &&
          writePlay(end.steps, end.hits) === text,
      );
}
