// A refereed match as a fold over its lines (rules/README.md, R1 to R31). States are never changed:
// `apply` gives the next one or throws what the line breaks.
import { START, borneOff, closedOut, left } from "./board.js";
import { legalEnds, playWritten } from "./moves.js";

/** A line that may not stand where it stands. `code` has a sentence of its own in i18n. */
export class RuleError extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

const refuseUnless = (holds, code) => {
  if (!holds) throw new RuleError(code);
};

/** @param {object} rules from `resolve` */
export function startMatch(rules) {
  return startGame({ rules, score: [0, 0], game: 0, crawfordPlayed: false }, null);
}

function startGame(match, winner) {
  const { rules, score } = match;
  const crawford =
    rules.crawford && !match.crawfordPlayed && score.some((points) => points === rules.target - 1);
  const opening = winner === null || rules.opening_every_game;
  return {
    ...match,
    game: match.game + 1,
    crawford,
    crawfordPlayed: match.crawfordPlayed || crawford,
    boards: [START, START],
    cube: { value: 1, owner: null },
    refused: [false, false],
    dice: null,
    due: opening ? { what: "opening" } : { what: "roll", player: winner },
  };
}

/** R24, R25: what `loser` loses with the board as it stands, in times the cube, and its name. */
export function worth(state, loser) {
  const { rules, boards, cube } = state;
  const side = boards[loser];
  if (borneOff(side) > 0 || (rules.jacoby && cube.value === 1)) return [1, "single"];
  const back = side.slice(18).some((count) => count > 0);
  if (back && rules.backgammon > rules.gammon) return [rules.backgammon, "backgammon"];
  return [rules.gammon, "gammon"];
}

const endGame = (state, winner, points, kind) => {
  const score = state.score.map((old, player) => old + (player === winner ? points : 0));
  return { ...state, due: { what: "game_end", winner, points, kind, score } };
};

/** R2: the fields of the line that follows of itself, or null. */
export function follows(state) {
  const { due, rules, boards } = state;
  if (due.what === "play" && due.ends.length === 0) {
    return { type: "play", player: due.player, moves: "", auto: false };
  }
  if (
    due.what === "roll" &&
    !rules.closed_out_rolls &&
    closedOut(boards[due.player], boards[1 - due.player])
  ) {
    return { type: "pass_unrolled", player: due.player };
  }
  if (due.what === "game_end" || due.what === "match_end") {
    const { what: type, ...fields } = due;
    return { type, ...fields };
  }
  return null;
}

/** R7, R9: the other player, or the next turn's, is on roll. */
const turn = (state, player) => ({
  ...state,
  dice: null,
  refused: [false, false],
  due: { what: "roll", player },
});

function dueToPlay(state, player, dice) {
  const { boards, rules } = state;
  const ends = legalEnds(boards[player], boards[1 - player], dice, rules);
  return { ...state, dice, due: { what: "play", player, ends } };
}

const APPLY = {
  roll(state, { purpose, player, dice }) {
    const { due, rules } = state;
    if (due.what === "opening") {
      refuseUnless(purpose === "opening" && player === null, "rule-opening-due");
      if (dice[0] === dice[1]) return { ...state, dice };
      const starter = dice[0] > dice[1] ? 0 : 1;
      const begun = { ...turn(state, starter), dice };
      return rules.starter_rerolls ? begun : dueToPlay(begun, starter, dice);
    }
    refuseUnless(due.what === "roll", "rule-no-roll-due");
    refuseUnless(purpose === "turn" && player === due.player, "rule-other-player");
    return dueToPlay(state, player, dice);
  },

  play(state, { player, moves }) {
    const { due } = state;
    refuseUnless(due.what === "play", "rule-no-play-due");
    refuseUnless(player === due.player, "rule-other-player");
    if (due.ends.length === 0) return turn(state, 1 - player);
    const played = playWritten(due.ends, state.boards[player], moves);
    refuseUnless(played, "rule-not-a-legal-play");
    const boards = player === 0 ? [played.side, played.other] : [played.other, played.side];
    const moved = { ...state, boards };
    if (left(played.side) > 0) return turn(moved, 1 - player);
    const [times, kind] = worth(moved, 1 - player);
    return endGame(moved, player, times * state.cube.value, kind);
  },

  pass_unrolled(state) {
    // It stands only where it follows of itself, and `apply` has seen that it does.
    refuseUnless(follows(state)?.type === "pass_unrolled", "rule-not-closed-out");
    return turn(state, 1 - state.due.player);
  },

  double(state, { player }) {
    const { due, rules, cube, crawford } = state;
    refuseUnless(due.what === "roll" && player === due.player, "rule-double-not-on-roll");
    refuseUnless(rules.cube && !crawford, "rule-no-cube");
    refuseUnless(cube.owner === null || cube.owner === player, "rule-cube-not-yours");
    refuseUnless(cube.value < rules.cube_limit, "rule-cube-limit");
    return { ...state, due: { what: "double", player: 1 - player } };
  },

  take(state, { player }) {
    answered(state, "double", player);
    const cube = { value: 2 * state.cube.value, owner: player };
    return { ...state, cube, due: { what: "roll", player: 1 - player } };
  },

  drop(state, { player }) {
    answered(state, "double", player);
    return endGame(state, 1 - player, state.cube.value, "drop");
  },

  resign_offer(state, { player, value }) {
    const { due, refused } = state;
    refuseUnless(["opening", "roll", "play"].includes(due.what), "rule-no-resignation-now");
    refuseUnless(!refused[player], "rule-resigned-this-turn");
    refuseUnless(value === worth(state, player)[0], "rule-resign-value");
    return { ...state, due: { what: "resign", player: 1 - player, value, before: due } };
  },

  resign_accept(state, { player }) {
    answered(state, "resign", player);
    return endGame(state, player, state.due.value * state.cube.value, "resign");
  },

  resign_refuse(state, { player }) {
    answered(state, "resign", player);
    const refused = state.refused.map((old, other) => old || other !== player);
    return { ...state, refused, due: state.due.before };
  },

  game_end(state, event) {
    const { due } = state;
    if (due.what === "game_end") {
      const ended = { ...state, score: due.score };
      const { winner, score } = due;
      if (score[winner] < state.rules.target) return startGame(ended, winner);
      return { ...ended, due: { what: "match_end", winner, reason: "score", score } };
    }
    const { winner, points, kind, score } = event;
    refuseUnless(kind === "forfeit" && points === 0, "rule-game-not-over");
    refuseUnless(same(score, state.score), "rule-score");
    return { ...state, due: { what: "forfeit", winner } };
  },

  match_end(state, { winner, reason, score }) {
    const { due } = state;
    if (due.what !== "match_end") {
      refuseUnless(same(score, state.score), "rule-score");
      const reasons =
        winner === null ? ["abort", "abandon"] : ["resign", "timeout", "disconnect", "abandon"];
      refuseUnless(reasons.includes(reason), "rule-match-not-over");
      refuseUnless(winner === (due.what === "forfeit" ? due.winner : null), "rule-no-forfeit");
    }
    return { ...state, dice: null, due: { what: "over", winner, reason } };
  },
};

function answered(state, what, player) {
  refuseUnless(state.due.what === what, "rule-nothing-to-answer");
  refuseUnless(state.due.player === player, "rule-other-player");
}

const same = (a, b) =>
  Array.isArray(a) && Array.isArray(b) ? a.every((v, i) => v === b[i]) : a === b;

/**
 * The state after a line of play.
 * @param {object} state
 * @param {object} event a decoded line
 * @returns {object}
 * @throws {RuleError} where the line may not stand here
 */
export function apply(state, event) {
  refuseUnless(state.due.what !== "over", "rule-match-over");
  const must = follows(state);
  if (must) {
    refuseUnless(
      Object.keys(must).every((field) => same(event[field], must[field])),
      event.type === must.type ? "rule-other-content" : "rule-something-follows",
    );
  } else if (state.due.what === "forfeit") {
    refuseUnless(event.type === "match_end", "rule-forfeit-ends");
  }
  return APPLY[event.type](state, event);
}
