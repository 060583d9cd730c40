// The order of events (PROTOCOL.md, O1 to O8, F3), and the course of a refereed match (F7).
import { RULE_SETS, resolve } from "./rules/rulesets.js";
import { apply, startMatch } from "./rules/match.js";

/** F7: the code of a line that breaks a rule. */
const BREAKS = new Map(
  Object.entries({
    roll: "roll-not-due",
    play: "play-illegal",
    game_end: "result-wrong",
    match_end: "result-wrong",
    ...Object.fromEntries(
      [
        "pass_unrolled",
        "double",
        "take",
        "drop",
        "resign_offer",
        "resign_accept",
        "resign_refuse",
      ].map((type) => [type, "action-not-due"]),
    ),
  }),
);

class Fault {
  constructor(code, field) {
    Object.assign(this, { code, field });
  }
}

const need = (holds, code, field) => {
  if (!holds) throw new Fault(code, field);
};

/** What each event needs to stand where it stands; each gives the phase after it. */
const STEPS = {
  match(at, event) {
    need(at.phase === "match", "event-out-of-place", "type");
    need(event.seeding !== "chained", "seeding-unsupported", "seeding");
    at.seeding = event.seeding;
    at.refereed = event.rules !== null;
    if (at.refereed) {
      need(RULE_SETS.has(event.rules), "rules-unknown", "rules");
      const rules = resolve(event.rules, event.length, event.options);
      need(rules, "rules-inconsistent", "options");
      at.state = startMatch(rules);
    } else {
      need(event.options.size === 0, "field-value", "options");
    }
    return "first signature";
  },

  signature(at) {
    const after = {
      "first signature": at.seeding === "committed" ? "commitments" : "seeds",
      "second signature": "seeds",
      "last signature": "over",
    }[at.phase];
    need(after, "event-out-of-place", "type");
    return after;
  },

  seed_commitment: (at, event) => both(at, event, "commitments", "second signature"),
  seed: (at, event) => both(at, event, "seeds", "play"),

  roll(at, event) {
    need(at.phase === "play", "event-out-of-place", "type");
    need(!("links" in event), "field-unknown", "links");
    need(event.index === at.rolls, "roll-index", "index");
    if (!at.refereed) {
      need(event.purpose !== "opening" || event.player === null, "field-value", "player");
    }
    at.rolls++;
    return "play";
  },

  match_end(at, { winner, reason, score }) {
    need(["commitments", "seeds", "play"].includes(at.phase), "event-out-of-place", "type");
    const early = at.phase !== "play";
    if (early || !at.refereed) {
      need(reason !== "abort" || winner === null, "field-value", "winner");
      need(early ? reason === "abort" : reason !== "score", "field-value", "reason");
      const due = at.refereed ? "0,0" : "";
      need(score === null ? !at.refereed : String(score) === due, "field-value", "score");
    }
    return "reveal";
  },

  reveal(at) {
    need(at.phase === "reveal", "event-out-of-place", "type");
    return "last signature";
  },
};

function both(at, event, phase, after) {
  need(at.phase === phase, "event-out-of-place", "type");
  need(!at.seen.has(event.player), "player-twice", "player");
  at.seen.add(event.player);
  if (at.seen.size < 2) return phase;
  at.seen = new Set();
  return after;
}

function ofPlay(at) {
  need(at.refereed && at.phase === "play", "event-out-of-place", "type");
  return "play";
}

/** What is kept of a state for the board; all plays that were legal would fill the memory. */
const shown = ({ boards, cube, rules, score }) => ({ boards, cube, rules, score });

/**
 * Follow a log from its first line.
 * @param {object[]} lines from `readLog`
 * @returns {{failures: object[], phase: string, refereed: boolean, states: Map<number, object>,
 *   followed: number}} at most one failure of the order and one of the rules; `states` holds the
 *   match after each line of play that the rules allow; `followed` counts the lines in order
 */
export function followOrder(lines) {
  const at = { phase: "match", seen: new Set(), rolls: 0, refereed: false, state: null };
  const states = new Map();
  const failures = [];
  let followed = 0;
  for (const { seq, event } of lines) {
    if (!event) break;
    const playing = at.phase === "play";
    try {
      at.phase = (STEPS[event.type] ?? ofPlay)(at, event);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      failures.push({ check: "order", code: fault.code, seq, field: fault.field });
      break;
    }
    followed++;
    if (at.state && event.type === "match") states.set(seq, shown(at.state));
    if (!at.state || !playing || !BREAKS.has(event.type)) continue;
    try {
      at.state = apply(at.state, event);
      states.set(seq, shown(at.state));
    } catch (broken) {
      if (!broken.code) throw broken;
      at.state = null;
      failures.push({
        check: "plays",
        code: BREAKS.get(event.type),
        seq,
        field: "",
        rule: broken.code,
      });
    }
  }
  return { failures, phase: at.phase, refereed: at.refereed, states, followed };
}
