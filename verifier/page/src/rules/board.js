// A side's checkers: 25 counts, index 0 its own point 1, index 23 its point 24, index 24 the bar.
// Each side counts in its own numbers; a point p of one is point 25 - p of the other.

export const BAR = 25;

/** R3: both sides at the start. */
export const START = Object.freeze(
  Array.from({ length: 25 }, (_, i) => ({ 5: 5, 7: 3, 12: 5, 23: 2 })[i] ?? 0),
);

export const left = (side) => side.reduce((sum, count) => sum + count, 0);
export const borneOff = (side) => 15 - left(side);
export const pips = (side) => side.reduce((sum, count, i) => sum + count * (i + 1), 0);

/** Whether two or more of the other side's checkers stand on point `p` (1 to 24) of this side. */
export const blocked = (other, p) => other[24 - p] > 1;

/** R14: a checker on the bar, and the opponent holds all six points of its home board. */
export const closedOut = (side, other) =>
  side[24] > 0 && other.slice(0, 6).every((count) => count > 1);
