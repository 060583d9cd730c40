// The match on a board, with its list, its buttons and its keys, and the workings of the roll shown.
import { drawBoard, sideLine } from "./board.js";
import { commitmentLine, pythonLine, rollLine } from "./byhand.js";
import { toHex } from "./bytes.js";
import { workingsOf } from "./dice.js";
import { el } from "./dom.js";
import { fill, rollName } from "./i18n.js";

const ROWS = 500;
const MARKS = { true: "✔", false: "✖", null: "–" };

/** An item in words, for the list and for who listens. */
export function itemText(item, words, names) {
  const who = item.player === null ? "" : names[item.player];
  if (item.kind === "start") return words.start;
  if (item.kind === "roll") {
    const { play } = item;
    const owner = item.opening ? words.openingRoll : who;
    const mover = item.opening && play ? who : "";
    const moved = play
      ? [mover, play.moves || words.noPlay, play.auto ? words.autoPlayed : ""]
      : [];
    return [`${item.index + 1}.`, owner, rollName(words, item.dice), ...moved]
      .filter(Boolean)
      .join(" ");
  }
  if (item.kind === "play") return `${who} ${item.event.moves || words.noPlay}`;
  const { event } = item;
  const said = fill(words.events[item.kind], {
    ...event,
    kind: words.kinds[event.kind],
    score: event.score?.join("–") ?? "",
    reason: words.reasons[event.reason],
  });
  return item.kind === "match_end" ? said : `${who} ${said}`;
}

function copyLine(line, words) {
  const button = el(
    "button",
    {
      type: "button",
      class: "copy",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(line);
          button.textContent = words.copied;
        } catch {
          getSelection().selectAllChildren(code);
        }
      },
    },
    words.copy,
  );
  const code = el("code", { tabindex: 0 }, line);
  return el("div", { class: "line" }, el("pre", {}, code), button);
}

/** The bytes that were read, one line each. */
const bytesRead = ({ digest, taken, skipped, dice }, words) =>
  [...taken, ...skipped]
    .sort((a, b) => a - b)
    .map((at) => {
      const hex = `0x${toHex(digest.subarray(at, at + 1))} = ${digest[at]}`;
      const read = taken.includes(at);
      const text = fill(read ? words.byteDie : words.byteSkipped, {
        byte: digest[at],
        die: dice[taken.indexOf(at)],
      });
      return el("li", {}, `${hex}: `, text);
    });

function workings(roll, report, words, names) {
  const step = report.match.seeding === "direct" ? words.rollStep1Direct : words.rollStep1;
  const seeds = [
    [words.serverSeed, report.serverSeed],
    ...report.seeds.map((seed, p) => [fill(words.seedOf, { name: names[p] }), seed]),
  ];
  return el(
    "ol",
    { class: "steps" },
    el(
      "li",
      {},
      step,
      el(
        "dl",
        {},
        seeds.map(([name, seed]) => [el("dt", {}, name), el("dd", {}, el("code", {}, seed))]),
      ),
    ),
    workingsOf(report.match.match_id, report.seeds, roll).map((block) => [
      el(
        "li",
        {},
        words.rollStep2,
        el("pre", { tabindex: 0 }, el("code", {}, block.message)),
        el("pre", { tabindex: 0 }, el("code", {}, toHex(block.digest))),
      ),
      el("li", {}, words.rollStep3, el("ul", {}, bytesRead(block, words))),
    ]),
    el(
      "li",
      { class: roll.agrees ? "good" : "bad" },
      MARKS[roll.agrees],
      " ",
      fill(words.rollStep4, { want: roll.dice.join("-"), got: roll.found.join("-") }),
    ),
  );
}

function byHand(roll, report, words) {
  const { match, serverSeed, seeds } = report;
  const start = toHex(roll.digests[0]).slice(0, 16);
  return el(
    "div",
    {},
    el("p", {}, words.byHandLead),
    el("p", {}, fill(words.byHandCommitment, { want: match.commitment })),
    copyLine(commitmentLine(serverSeed), words),
    el("p", {}, fill(words.byHandRoll, { want: start })),
    copyLine(rollLine(serverSeed, match.match_id, seeds, roll.index), words),
    el("p", {}, words.byHandPython),
    copyLine(pythonLine(serverSeed, match.match_id, seeds, roll.index), words),
  );
}

/**
 * @param {object} report from `verifyLog`
 * @param {object[]} items from `itemsOf`
 * @param {object} words
 * @param {string[]} names of the players
 * @returns {{element: HTMLElement, show: (at: number, focus?: boolean) => void}}
 */
export function matchView(report, items, words, names) {
  let at = 0;
  let viewer = 0;
  let mirror = false;
  let timer = null;
  const refereed = items.some(({ state }) => state);
  const picture = el("div", { class: "picture" });
  const now = el("p", { class: "now", "aria-live": "polite" });
  const details = el("div", { class: "details" });
  const slider = el("input", {
    type: "range",
    min: 0,
    max: items.length - 1,
    value: 0,
    "aria-label": words.position,
    oninput: () => show(Number(slider.value)),
  });
  const drawRow = (item, i) =>
    el(
      "button",
      {
        type: "button",
        class: item.agrees === false || item.wrong ? "bad" : "",
        onclick: () => show(i),
      },
      item.kind === "roll"
        ? el(
            "span",
            {
              class: "mark",
              "aria-label": {
                true: words.passed,
                false: words.failed,
                null: words.unchecked,
              }[item.agrees],
              role: "img",
            },
            MARKS[item.agrees],
          )
        : "",
      item.wrong
        ? el("span", { class: "mark", role: "img", "aria-label": words.codes["play-illegal"] }, "⚠")
        : "",
      itemText(item, words, names),
    );
  const list = el("ol", { class: "moves" });
  let rows = [];
  let first = -1;
  /** A very long match is listed in parts, or the browser would stand still. */
  function drawRows(from, count = ROWS) {
    first = from;
    rows = items.slice(from, from + count).map((item, i) => drawRow(item, from + i));
    list.start = from + 1;
    list.replaceChildren(...rows.map((row) => el("li", {}, row)));
    parts.value = String(from);
  }
  const parts = el(
    "select",
    { id: "rows", onchange: () => show(Number(parts.value)) },
    Array.from({ length: Math.ceil(items.length / ROWS) }, (_, i) => {
      const last = Math.min((i + 1) * ROWS, items.length);
      return el("option", { value: String(i * ROWS) }, `${i * ROWS + 1}–${last}`);
    }),
  );
  list.addEventListener("beforeprint", () => drawRows(0, items.length));
  list.addEventListener("afterprint", () => {
    first = -1;
    show(at);
  });

  function drawDetails() {
    const item = items[at];
    const open = [...details.querySelectorAll("details")].map((each) => each.open);
    details.replaceChildren();
    if (item.kind !== "roll") return;
    const roll = report.rolls.find(({ seq }) => seq === item.seq);
    if (!roll) {
      details.append(el("p", { class: "quiet" }, words.notRecomputed));
      return;
    }
    const title = fill(words.howRolled, { n: item.index + 1 });
    details.append(
      el(
        "details",
        { open: open[0] || item.agrees === false },
        el("summary", {}, title),
        workings(roll, report, words, names),
      ),
      el(
        "details",
        { open: open[1] },
        el("summary", {}, words.byHand),
        byHand(roll, report, words),
      ),
    );
  }

  function draw() {
    const item = items[at];
    const { state: known } = items[items.findLastIndex(({ state }, i) => i <= at && state)] ?? {};
    const how = { dice: item.dice ?? null, player: item.player, viewer, mirror };
    picture.replaceChildren(
      ...(known
        ? [
            el("p", { class: "side" }, sideLine(known, 1 - viewer, words, names)),
            drawBoard(known, how, words, names),
            el("p", { class: "side" }, sideLine(known, viewer, words, names)),
            el("p", { class: "side" }, `${words.score}: ${known.score.join("–")}`),
            item.state ? "" : el("p", { class: "amber" }, words.boardStopped),
          ]
        : []),
    );
    const said = [itemText(item, words, names)];
    if (item.agrees === false) said.push(words.failed);
    else if (item.wrong) said.push(words.codes["play-illegal"]);
    else if (item.agrees) said.push(words.passed);
    now.textContent = said.join(" – ");
  }

  function show(next, focus = false) {
    rows[at - first]?.removeAttribute("aria-current");
    at = Math.max(0, Math.min(items.length - 1, next));
    const from = at - (at % ROWS);
    if (from !== first) drawRows(from);
    const current = rows[at - first];
    current.setAttribute("aria-current", "true");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", itemText(items[at], words, names));
    draw();
    drawDetails();
    const box = list.getBoundingClientRect();
    const row = current.getBoundingClientRect();
    list.scrollTop += row.top - box.top - (box.height - row.height) / 2;
    if (focus) current.focus();
    if (at === items.length - 1) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    playing.textContent = words.play;
  }

  const speed = el(
    "select",
    { "aria-label": words.speed, onchange: () => timer && run() },
    [
      [2000, "½×"],
      [1000, "1×"],
      [500, "2×"],
      [250, "4×"],
    ].map(([ms, name]) => el("option", { value: String(ms), selected: ms === 1000 }, name)),
  );
  function run() {
    pause();
    if (at === items.length - 1) show(0);
    timer = setInterval(() => show(at + 1), Number(speed.value));
    playing.textContent = words.pause;
  }
  const button = (name, onclick) => el("button", { type: "button", onclick }, name);
  const playing = button(words.play, () => (timer ? pause() : run()));
  const buttons = el(
    "div",
    { class: "buttons" },
    button(words.first, () => show(0)),
    button(words.back, () => show(at - 1)),
    button(words.forward, () => show(at + 1)),
    button(words.last, () => show(items.length - 1)),
    playing,
    speed,
  );
  const sides = refereed
    ? el(
        "div",
        { class: "buttons" },
        button(words.otherSide, () => {
          viewer = 1 - viewer;
          draw();
        }),
        button(words.mirror, () => {
          mirror = !mirror;
          draw();
        }),
      )
    : "";

  const moves = {
    ArrowLeft: () => show(at - 1, true),
    ArrowRight: () => show(at + 1, true),
    Home: () => show(0, true),
    End: () => show(items.length - 1, true),
  };
  list.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  });
  const element = el(
    "div",
    { class: refereed ? "replay" : "replay dice-only" },
    el(
      "div",
      { class: "table" },
      picture,
      now,
      slider,
      buttons,
      sides,
      el("p", { class: "quiet" }, words.keys),
    ),
    el(
      "div",
      { class: "listing" },
      el("h3", {}, refereed ? words.moves : words.rolls),
      items.length > ROWS ? el("label", { class: "rows" }, words.rows, parts) : "",
      list,
    ),
    details,
  );
  return { element, show };
}
