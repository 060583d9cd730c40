// A report as a page: verdict, checks, match, statistics, what is not proved.
import { el, save } from "./dom.js";
import { encodeProof } from "./fraud.js";
import { fill, sentence, showLabel, showTime } from "./i18n.js";
import { itemsOf } from "./replay.js";
import { shownChecks, stateOf } from "./state.js";
import { statisticsView } from "./statistics_view.js";
import { matchView } from "./match_view.js";

const ICONS = { green: "✔", amber: "?", red: "✖" };
const STATUS = { passed: ["✔", "green", 0], failed: ["✖", "red", 1], unchecked: ["–", "none", 2] };

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
    const [mark, tone, which] = STATUS[status];
    const reason = why ? ` (${words.why[why]})` : "";
    return el(
      "li",
      { class: tone },
      el("span", { class: "badge" }, `${mark} ${words[status]}`),
      el("span", {}, words.check[name][which] + reason),
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
    el("ul", { class: "found" }, rows, failures.length > rows.length ? el("li", {}, "…") : ""),
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
 * @param {{log: Uint8Array, link: string | null, chooseReceipt: () => void}} given
 * @returns {{element: HTMLElement, verdict: HTMLElement, rest: () => void}} the verdict and the
 *   checks; `rest` adds the match and all below it, which take longer to draw
 */
export function reportView(report, given, words) {
  const { id, tone, failure, given: places } = stateOf(report, words);
  const name = report.match?.match_id ?? "zarf";
  let replay = null;
  let items = [];
  const place = (at) => items.findIndex(({ seq, play }) => seq === at || play?.seq === at);
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
  if (id === "consistent") button(words.chooseReceipt, given.chooseReceipt);
  const [roll] = report.failedRolls;
  if (roll !== undefined) {
    const { seq } = report.rolls.find(({ agrees }) => !agrees);
    button(fill(words.goToRoll, { n: roll + 1 }), () => replay?.show(place(seq), true));
  } else if (failure?.check === "plays") {
    button(words.goToPlay, () => replay?.show(place(failure.seq), true));
  }
  if (given.link) button(words.shareLink, copy);
  if (report.match) button(words.print, () => window.print());
  const [title, text] = words.states[id].map((each) => fill(each, places));
  const too =
    roll !== undefined && failure.check !== "dice" ? ` ${fill(words.rollsToo, places)}` : "";
  const verdict = verdictBox(tone, title, text + too, buttons);
  const element = el("div", {}, verdict, checksList(report, words));

  function rest() {
    const names = (report.match?.players ?? ["0", "1"]).map(showLabel);
    items = itemsOf(report);
    if (items.length > 0) replay = matchView(report, items, words, names);
    element.append(
      el(
        "section",
        { "aria-labelledby": "match" },
        el("h2", { id: "match" }, words.match),
        about(report, words),
        replay?.element ?? "",
      ),
      statisticsView(items, words, names),
      notProved(words, report.match?.seeding === "direct"),
    );
    replay?.show(failure ? Math.max(place(failure.seq), 0) : 0);
  }
  return { element, verdict, rest };
}
