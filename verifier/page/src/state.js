// What the page says first: the report's verdict as one of the states of the page, with its tone.
// The wireframe's order decides which of several failures is named (version, match, key, receipt,
// own seed, signatures, reveal, commitment, dice, plays).
import { sentence, showTime } from "./i18n.js";

const by =
  (...codes) =>
  ({ code }) =>
    codes.includes(code);
const of =
  (...checks) =>
  ({ check }) =>
    checks.includes(check);

/** The states of failure in the order they are looked for. */
const FAILURES = [
  ["unknown-version", "amber", by("protocol-unknown", "seeding-unsupported", "rules-unknown")],
  ["other-server", "amber", by("receipt-other-key", "key-other")],
  ["contradiction", "red", by("receipt-contradiction")],
  ["receipt-invalid", "amber", by("receipt-invalid")],
  ["no-own-seed", "red", by("my-seed-absent")],
  ["receipt-differs", "red", by("receipt-differs")],
  ["broken", "red", of("grammar")],
  ["altered", "red", by("prev-mismatch")],
  ["bad-signature", "red", of("signatures")],
  ["order", "red", of("order")],
  ["server-seed", "red", by("server-seed-mismatch")],
  ["player-seed", "red", by("seed-mismatch")],
  ["mirrored", "red", by("commitments-equal")],
  ["dice", "red", of("dice")],
  ["plays", "amber", of("plays")],
];

const COMMITMENT_LINES = new Set(["match", "seed_commitment"]);

/** Roll numbers for a title: the first ones, for a title must be read at a glance. */
function listed(indexes) {
  const shown = indexes.slice(0, 12).map((index) => index + 1);
  return shown.join(", ") + (shown.length < indexes.length ? " …" : "");
}

/** The state's name may change with how much there is to say. */
function refine(id, report, failure) {
  if (id === "contradiction") {
    const type = report.lines[failure.seq]?.event?.type;
    return COMMITMENT_LINES.has(type) ? "two-commitments" : id;
  }
  if (id === "dice" && report.failedRolls.length > 1) return "dice-many";
  if (id === "plays" && report.why !== "plays-only") return "plays-unchecked";
  return id;
}

function succeeded(report) {
  const { verdict, why, checks } = report;
  if (verdict === "INCOMPLETE") return { id: why, tone: "amber" };
  if (why === "no-rolls" || why === "direct-seeding") return { id: why, tone: "amber" };
  if (verdict === "CONSISTENT") return { id: "consistent", tone: "amber" };
  const seed = checks.find(({ name }) => name === "my_seed").status === "passed";
  return { id: seed ? "verified-seed" : "verified", tone: "green" };
}

/**
 * @param {object} report from `verifyLog`
 * @param {object} words one of LANGUAGES
 * @returns {{id: string, tone: "green" | "amber" | "red", failure: object | null, given: object}}
 *   `given` fills the state's sentences
 */
export function stateOf(report, words) {
  const { failures, match, keyId, rest } = report;
  let found = null;
  for (const [id, tone, test] of FAILURES) {
    const failure = failures.find(test);
    if (failure) {
      found = { id: refine(id, report, failure), tone, failure };
      break;
    }
  }
  const state = found ?? { ...succeeded(report), failure: null };
  const { failure } = state;
  const plays = report.lines.filter(
    ({ seq, event }) => failure && seq <= failure.seq && event?.type === "play",
  ).length;
  const reason = failure?.rule
    ? `${words.codes[failure.rule]}.`
    : failure
      ? sentence(words, failure)
      : "";
  const many = state.id === "dice-many";
  return {
    ...state,
    given: {
      matchId: match?.match_id ?? "–",
      keyId: keyId.slice(0, 8),
      rest,
      // The browser's first look into its calendars takes longer than all the rest of this.
      when: state.id === "not-revealed" ? showTime(words, report.end.time) : "",
      n: failure ? failure.seq + 1 : "",
      roll: failure?.roll === undefined ? "" : failure.roll + 1,
      rolls: listed(report.failedRolls),
      count: many ? report.failedRolls.length : report.rolls.length,
      play: Math.max(plays, 1),
      expected: failure?.expected ?? "",
      found:
        state.id === "other-server" ? (failure.found ?? "").slice(0, 8) : (failure?.found ?? ""),
      reason,
    },
  };
}

/** The checks as the page shows them: each with the report's checks that it sums up. */
const SHOWN = [
  ["commitment", ["commitment"]],
  ["my_seed", ["my_seed"]],
  ["player_seeds", ["player_seeds"]],
  ["receipt", ["receipt", "key"]],
  ["record", ["grammar", "order", "chain", "signatures"]],
  ["dice", ["dice"]],
  ["plays", ["plays"]],
];

/** @returns {{name: string, status: string, why: string}[]} */
export function shownChecks({ checks }) {
  return SHOWN.map(([name, parts]) => {
    const all = parts.map((part) => checks.find((check) => check.name === part));
    const failed = all.find(({ status }) => status === "failed");
    const lead =
      failed ?? (name === "receipt" ? all[0] : all.find(({ status }) => status === "unchecked"));
    const { status, why } = lead ?? all[0];
    return { name, status, why };
  });
}
