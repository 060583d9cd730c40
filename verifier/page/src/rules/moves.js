// The legal plays of a roll (rules/README.md, R10 to R12).
import { BAR, blocked } from "./board.js";
import { writePlay } from "./notation.js";

/** Where a checker on `from` comes to with a die, or -1 where it may not go. 0 is off. */
function target(node, from, die, style) {
  const to = from - die;
  if (to >= 1) return blocked(node.other, to) ? -1 : to;
  for (let p = 7; p <= BAR; p++) if (node.side[p - 1] > 0) return -1;
  if (to === 0 || style.loose_bearing_off) return 0;
  for (let p = from + 1; p <= 6; p++) if (node.side[p - 1] > 0) return -1;
  return 0;
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

/** All positions one die leads to from one position, each once. */
function play(nodes, die, style) {
  const reached = new Map();
  for (const node of nodes) {
    const only = node.side[BAR - 1] > 0;
    for (let from = only ? BAR : BAR - 1; from >= (only ? BAR : 1); from--) {
      const free = node.side[from - 1] - (node.held.includes(from) ? 1 : 0);
      if (free < 1) continue;
      const to = target(node, from, die, style);
      if (to < 0) continue;
      const next = step(node, from, to, style);
      const key = `${next.side}|${[...next.hits].sort()}|${next.held}`;
      if (!reached.has(key)) reached.set(key, next);
    }
  }
  return [...reached.values()];
}

/** R10: the ends of all ways that play as many dice as can be played. */
function ends(start, [a, b], style) {
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

/**
 * @param {number[]} side the mover's 25 counts
 * @param {number[]} other the opponent's, in its own numbers
 * @param {number[]} dice two
 * @param {{loose_bearing_off: boolean, no_hit_and_run_at_home: boolean}} style
 * @returns {Map<string, {side: number[], other: number[], steps: object[]}>} the positions by the
 *   canonical text of the play; empty where nothing can be played
 */
export function legalPlays(side, other, dice, style) {
  const plays = new Map();
  for (const end of ends({ side, other, hits: [], held: [], steps: [] }, dice, style)) {
    const text = writePlay(end.steps, end.hits);
    if (!plays.has(text)) plays.set(text, end);
  }
  return plays;
}
