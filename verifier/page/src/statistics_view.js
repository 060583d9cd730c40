// The counts of one match as pictures: a bar for each number and for doubles, and behind it the range
// that fair dice fall into.
import { el, svg } from "./dom.js";
import { fill } from "./i18n.js";
import { statisticsOf } from "./statistics.js";

const COLUMN = 41;
const LAST = 62; // for a word under it
const WIDTH = 6 * COLUMN + LAST;
const HIGH = 110;
const TOP = 22;
const FOOT = TOP + HIGH;

function picture(bars, words) {
  const most = Math.max(1, ...bars.flatMap(({ count, band }) => [count, band[1]]));
  const number = new Intl.NumberFormat(words.locale);
  const y = (count) => FOOT - (HIGH * count) / most;
  const said = bars.map(({ name, count, band: [low, high], inside }) =>
    fill(inside ? words.statInside : words.statOutside, { name, count, low, high }),
  );
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${FOOT + 22}`,
      class: "bars",
      role: "img",
      "aria-label": said.join(" "),
    },
    bars.map(({ name, count, band: [low, high], inside }, i) => {
      const middle = i * COLUMN + (i < 6 ? COLUMN : LAST) / 2;
      return [
        svg("rect", {
          x: middle - 18,
          y: y(high),
          width: 36,
          height: Math.max(y(low) - y(high), 2),
          class: "band",
        }),
        svg("rect", {
          x: middle - 9,
          y: y(count),
          width: 18,
          height: FOOT - y(count),
          class: inside ? "count" : "count outside",
        }),
        svg(
          "text",
          { x: middle, y: Math.min(y(count), y(high)) - 5 },
          number.format(count) + (inside ? "" : " *"),
        ),
        svg("text", { x: middle, y: FOOT + 16 }, name),
      ];
    }),
    svg("path", { d: `M0 ${FOOT}h${WIDTH}`, class: "ground" }),
  );
}

/**
 * @param {object[]} items from `itemsOf`
 * @param {object} words
 * @param {string[]} names of the players
 * @returns {HTMLElement | string} "" where nothing was rolled
 */
export function statisticsView(items, words, names) {
  const rolls = items
    .filter(({ kind }) => kind === "roll")
    .map((item) => ({ dice: item.dice, player: item.opening ? null : item.player }));
  if (rolls.length === 0) return "";
  const number = new Intl.NumberFormat(words.locale);
  const figure = ({ owner, faces, doubles, rolls: n }) => {
    const bars = [...faces, doubles].map(({ count, band }, i) => ({
      name: i < 6 ? String(i + 1) : words.statDoubles,
      count,
      band,
      inside: count >= band[0] && count <= band[1],
    }));
    const whose = owner === null ? words.statBoth : names[owner];
    return el(
      "figure",
      {},
      el("figcaption", {}, `${whose} · ${words.rollCount}: ${number.format(n)}`),
      picture(bars, words),
    );
  };
  return el(
    "details",
    { class: "statistics" },
    el("summary", {}, words.statistics),
    el("p", {}, words.statLead),
    el("div", { class: "figures" }, statisticsOf(rolls).map(figure)),
    el("p", {}, words.statMeaning),
  );
}
