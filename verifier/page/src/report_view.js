// A report as a page: verdict, checks, match, statistics, what is not proved.
import { el, save } from "./dom.js";
import { encodeProof } from "./fraud.js";
import { fill, sentence, showLabel, showTime } from "./i18n.js";
import { itemsOf } from "./replay.js";
import { shownChecks, stateOf } from "./state.js";
import { statisticsOf } from "./statistics.js";
import { matchView } from "./match_view.js";

const ICONS = { green: "✔", amber: "?", red: "✖" };
const STATUS = { passed: ["✔", "green"], failed: ["✖", "red"], unchecked: ["–", "none"] };

/** The verdict's box; what stands in it is read out, and the focus moves to it. */
export function verdictBox(tone, title, text, buttons = []) {
  return el(
    "div",
    { class: `verdict ${tone}`, role: "status", tabindex: -1 },
    el("p", { class: "icon", "aria-hidden": "true" }, ICONS[tone]),
    el("div", {}, el("h2", {}, title), el("p", {}, text), el("div", { class: "buttons" }, buttons)),
  );
}

function checksList(report, words) {
  const rows = shownChecks(report).map(({ name, status, why }) => {
    const [mark, tone] = STATUS[status];
    const reason = why ? ` (${words.why[why]})` : "";
    return el(
      "li",
      { class: tone },
      el("span", { class: "badge" }, `${mark} ${words[status]}`),
      el("span", {}, words.check[name] + reason),
    );
  });
  return el(
    "section",
    { "aria-labelledby": "checks" },
    el("h2", { id: "checks" }, words.checks),
    el("ul", { class: "checks" }, rows),
    found(report, words),
  );
}

function found({ failures }, words) {
  if (failures.length === 0) return "";
  const rows = failures.slice(0, 200).map((failure) => {
    const beside = ["expected", "found"]
      .filter((key) => failure[key])
      .map((key) => fill(words[key], { [key]: failure[key] }));
    return el(
      "li",
      {},
      `${fill(words.line, { n: failure.seq + 1 })}: ${sentence(words, failure)} `,
      el("span", { class: "quiet" }, beside.join(", ")),
      " ",
      el("code", {}, failure.code),
    );
  });
  return el(
    "details",
    {},
    el("summary", {}, `${words.details} (${failures.length})`),
    el("ul", { class: "found" }, rows),
  );
}

function about(report, words) {
  const { match, rolls, end, lines } = report;
  if (!match) return "";
  const count = rolls.length || lines.filter(({ event }) => event?.type === "roll").length;
  const rows = [
    [words.matchId, match.match_id],
    [words.players, match.players.map(showLabel).join(" – ")],
    [words.rollCount, new Intl.NumberFormat(words.locale).format(count)],
    ...(end ? [[words.ended, `${words.reasons[end.reason]} · ${showTime(words, end.time)}`]] : []),
  ];
  return el(
    "dl",
    { class: "about" },
    rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

function statistics(items, words, names) {
  const rolls = items
    .filter(({ kind }) => kind === "roll")
    .map((item) => ({ dice: item.dice, player: item.opening ? null : item.player }));
  if (rolls.length === 0) return "";
  const number = new Intl.NumberFormat(words.locale, { maximumFractionDigits: 1 });
  const table = ({ owner, faces, doubles, rolls: n }) => {
    const most = Math.max(
      ...[...faces, doubles].map(({ count, band }) => Math.max(count, band[1])),
      1,
    );
    const row = (name, { count, band: [low, high] }) => {
      const inside = count >= low && count <= high;
      const bar = el("meter", { min: 0, max: most, value: String(count), "aria-hidden": "true" });
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, name),
        el("td", {}, bar, ` ${number.format(count)}${inside ? "" : " *"}`),
        el("td", {}, `${low}–${high}`),
      );
    };
    return el(
      "table",
      {},
      el(
        "caption",
        {},
        `${owner === null ? words.statBoth : names[owner]} · ${words.rollCount}: ${number.format(n)}`,
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          [words.statFace, words.statCount, words.statExpected].map((name) =>
            el("th", { scope: "col" }, name),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        faces.map((face, i) => row(String(i + 1), face)),
        row(words.statDoubles, doubles),
      ),
    );
  };
  return el(
    "details",
    { class: "statistics" },
    el("summary", {}, words.statistics),
    el("p", {}, words.statLead),
    el("div", { class: "tables" }, statisticsOf(rolls).map(table)),
    el("p", {}, words.statMeaning),
  );
}

export const notProved = (words, direct = false) =>
  el(
    "details",
    {},
    el("summary", {}, words.notProved),
    el(
      "ul",
      {},
      [...(direct ? [words.notProvedDirect] : []), ...words.notProvedList].map((text) =>
        el("li", {}, text),
      ),
    ),
  );

/**
 * @param {object} report from `verifyLog`
 * @param {{log: Uint8Array, receipts: Uint8Array[], link: string | null}} given
 * @returns {{element: HTMLElement, verdict: HTMLElement}}
 */
export function reportView(report, given, words) {
  const { id, tone, failure, given: places } = stateOf(report, words);
  const names = (report.match?.players ?? ["0", "1"]).map(showLabel);
  const items = itemsOf(report);
  const replay = items.length > 0 ? matchView(report, items, words, names) : null;
  const name = report.match?.match_id ?? "zarf";
  const buttons = [];
  const button = (text, onclick) => buttons.push(el("button", { type: "button", onclick }, text));
  const copy = async (event) => {
    await navigator.clipboard.writeText(given.link);
    event.target.textContent = words.copied;
  };
  if (report.proof) {
    button(words.saveProof, () =>
      save(`${name}.fraud.json`, encodeProof(report.proof), "application/json"),
    );
  }
  if (tone === "red" || (report.verdict === "FAILED" && report.match)) {
    button(words.saveLog, () => save(`${name}.zarf.jsonl`, given.log, "application/jsonl"));
  }
  const wrong = items.findIndex(
    (item) => failure && (item.seq === failure.seq || item.play?.seq === failure.seq),
  );
  if (replay && wrong >= 0 && ["dice", "plays"].includes(failure.check)) {
    const text =
      failure.check === "dice" ? fill(words.goToRoll, { n: failure.roll + 1 }) : words.goToPlay;
    button(text, () => replay.show(wrong, true));
  }
  if (given.link) button(words.shareLink, copy);
  if (report.match) button(words.print, () => window.print());
  const [title, text] = words.states[id].map((each) => fill(each, places));
  const verdict = verdictBox(tone, title, text, buttons);
  const element = el(
    "div",
    {},
    verdict,
    checksList(report, words),
    el(
      "section",
      { "aria-labelledby": "match" },
      el("h2", { id: "match" }, words.match),
      about(report, words),
      replay?.element ?? "",
    ),
    statistics(items, words, names),
    notProved(words, report.match?.seeding === "direct"),
  );
  return { element, verdict, ready: () => replay?.show(Math.max(wrong, 0)) };
}
