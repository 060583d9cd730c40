// A position as a picture, and in words for who does not see it.
import { svg } from "./dom.js";
import { fill } from "./i18n.js";
import { borneOff, pips } from "./rules/board.js";

// Digits are 13 units high: on a phone of 360 px a unit is about a pixel.
const WIDE = 25;
const RADIUS = 11;
const LEFT = 4;
const TOP = 20;
const HIGH = 270;
const WIDTH = LEFT * 2 + WIDE * 14;
const HEIGHT = HIGH + 2 * TOP;
const MOST = 5;

/** Where a point of the viewer's numbers stands: column from the left, and whether it is above. */
function place(p, mirror) {
  const above = p > 12;
  const column = above ? p - 13 : 12 - p;
  const x = column + (column > 5 ? 1 : 0);
  return { x: mirror ? 12 - x : x, above };
}

const centre = (x) => LEFT + WIDE * x + WIDE / 2;

function stack(x, above, count, player) {
  const cy = (i) =>
    above ? TOP + RADIUS + 1 + i * 2 * RADIUS : TOP + HIGH - RADIUS - 1 - i * 2 * RADIUS;
  const shown = Math.min(count, MOST);
  const checkers = Array.from({ length: shown }, (_, i) =>
    svg("circle", { cx: centre(x), cy: cy(i), r: RADIUS - 0.5, class: `checker player${player}` }),
  );
  if (count > MOST) {
    checkers.push(
      svg(
        "text",
        { x: centre(x), y: cy(shown - 1) + 4.5, class: `count player${player}` },
        String(count),
      ),
    );
  }
  return checkers;
}

function die(value, x, y, player) {
  const spots = {
    1: [[0, 0]],
    2: [
      [-1, -1],
      [1, 1],
    ],
    3: [
      [-1, -1],
      [0, 0],
      [1, 1],
    ],
    4: [
      [-1, -1],
      [1, 1],
      [-1, 1],
      [1, -1],
    ],
    5: [
      [-1, -1],
      [1, 1],
      [-1, 1],
      [1, -1],
      [0, 0],
    ],
    6: [
      [-1, -1],
      [1, 1],
      [-1, 1],
      [1, -1],
      [-1, 0],
      [1, 0],
    ],
  }[value];
  return svg(
    "g",
    {},
    svg("rect", {
      x: x - 12,
      y: y - 12,
      width: 24,
      height: 24,
      rx: 5,
      class: `die player${player ?? 0}`,
    }),
    spots.map(([dx, dy]) =>
      svg("circle", {
        cx: x + dx * 6.5,
        cy: y + dy * 6.5,
        r: 2.3,
        class: `pip player${player ?? 0}`,
      }),
    ),
  );
}

/** The position in words: each side's points, bar, checkers off, pips. */
export function describe(boards, words, names) {
  return boards
    .map((side, player) => {
      const points = side
        .slice(0, 24)
        .flatMap((count, i) => (count ? [`${i + 1}: ${count}`] : []))
        .reverse();
      if (side[24]) points.unshift(`${words.bar}: ${side[24]}`);
      points.push(`${words.off}: ${borneOff(side)}`, `${pips(side)} ${words.pips}`);
      return `${names[player]} – ${points.join(", ")}`;
    })
    .join(". ");
}

/**
 * @param {object} state from the rules
 * @param {{dice: number[] | null, player: number | null, viewer: number, mirror: boolean}} how
 * @returns {SVGElement}
 */
export function drawBoard({ boards, cube, rules }, { dice, player, viewer, mirror }, words, names) {
  const root = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "board",
    role: "img",
    "aria-label": describe(boards, words, names),
  });
  const bar = { x: LEFT + WIDE * 6, width: WIDE };
  root.append(
    svg("rect", { x: LEFT, y: TOP, width: WIDE * 13, height: HIGH, class: "field" }),
    svg("rect", { x: bar.x, y: TOP, width: bar.width, height: HIGH, class: "bar" }),
  );
  for (let p = 1; p <= 24; p++) {
    const { x, above } = place(p, mirror);
    const [base, tip] = above ? [TOP, TOP + 115] : [TOP + HIGH, TOP + HIGH - 115];
    const left = LEFT + WIDE * x;
    root.append(
      svg("path", {
        d: `M${left} ${base}h${WIDE}L${left + WIDE / 2} ${tip}z`,
        class: p % 2 ? "point odd" : "point",
      }),
      svg(
        "text",
        { x: centre(x), y: above ? TOP - 6 : TOP + HIGH + 15, class: "number" },
        String(p),
      ),
    );
  }
  for (const owner of [0, 1]) {
    const own = owner === viewer;
    for (let p = 1; p <= 24; p++) {
      const count = boards[owner][p - 1];
      const { x, above } = place(own ? p : 25 - p, mirror);
      if (count) root.append(...stack(x, above, count, owner));
    }
    if (boards[owner][24]) root.append(...stack(6, own, boards[owner][24], owner));
    const off = borneOff(boards[owner]);
    if (off) {
      root.append(
        svg("circle", {
          cx: centre(13),
          cy: own ? TOP + HIGH - 14 : TOP + 14,
          r: RADIUS - 0.5,
          class: `checker player${owner}`,
        }),
        svg(
          "text",
          { x: centre(13), y: own ? TOP + HIGH - 9.5 : TOP + 18.5, class: `count player${owner}` },
          String(off),
        ),
      );
    }
  }
  const middle = TOP + HIGH / 2;
  if (dice)
    root.append(
      die(dice[0], centre(9) - 14, middle, player),
      die(dice[1], centre(9) + 14, middle, player),
    );
  if (rules.cube) {
    const y = cube.owner === null ? middle : cube.owner === viewer ? TOP + HIGH - 50 : TOP + 50;
    root.append(
      svg("rect", { x: centre(13) - 11, y: y - 11, width: 22, height: 22, rx: 3, class: "cube" }),
      svg("text", { x: centre(13), y: y + 4.5, class: "cube-value" }, String(cube.value)),
    );
  }
  return root;
}

/** The two lines above and below the board: name, pips, checkers off, cube. */
export function sideLine(state, owner, words, names) {
  const side = state.boards[owner];
  const cube =
    state.rules.cube && state.cube.owner === owner ? ` · ${words.cube} ${state.cube.value}` : "";
  const colour = owner === 0 ? words.white : words.black;
  return fill("{name} ({colour}) · {pips} {pip} · {off} {offWord}{cube}", {
    name: names[owner],
    colour,
    pips: pips(side),
    pip: words.pips,
    off: borneOff(side),
    offWord: words.off,
    cube,
  });
}
