// The rule sets and their options (rules/README.md, R32, R33). A test holds this table to the one
// the service plays by.

const SET = {
  lengths: null,
  opening_every_game: true,
  starter_rerolls: false,
  closed_out_rolls: true,
  loose_bearing_off: false,
  no_hit_and_run_at_home: false,
  gammon: 2,
  backgammon: 3,
  cube: true,
  cube_from_length: 1,
  cube_limit: 64,
  crawford: true,
  jacoby: false,
  best_of_games: null,
};
const NO_CUBE = { gammon: 2, backgammon: 2, cube: false, crawford: false };
const REROLLED = { starter_rerolls: true, closed_out_rolls: false };

export const RULE_SETS = new Map(
  Object.entries({
    kafadinle: {
      ...SET,
      ...NO_CUBE,
      ...REROLLED,
      lengths: [1, 3, 5, 7],
      opening_every_game: false,
      loose_bearing_off: true,
    },
    "oyna-tavla": { ...SET, ...NO_CUBE, ...REROLLED, lengths: [1, 2, 3, 5] },
    "oyna-backgammon": { ...SET, lengths: [1, 2, 3, 5] },
    tavlino: { ...SET, lengths: [1, 3, 5, 7], cube_from_length: 3 },
    "jacoby-match": { ...SET, jacoby: true },
  }),
);

const oddBest = (v) => Number.isInteger(v) && v >= 3 && v <= 99 && v % 2 === 1;
const CHANGES = {
  cube: (v) => v === false,
  crawford: (v) => v === false,
  jacoby: (v) => v === false,
  no_hit_and_run_at_home: (v) => v === true,
  best_of_games: oddBest,
  gammon: (v) => v === 1,
};

/**
 * The rules a match is played by.
 * @param {string} name one of RULE_SETS
 * @param {number | null} length
 * @param {Map<string, boolean | number>} options
 * @returns {object | null} null where the three cannot hold together
 */
export function resolve(name, length, options) {
  const set = RULE_SETS.get(name);
  const given = Object.fromEntries(options);
  for (const [option, value] of options) {
    if (!Object.hasOwn(CHANGES, option) || !CHANGES[option](value)) return null;
    if (set[option] === value) return null;
  }
  const best = given.best_of_games ?? null;
  if ((length === null) !== (best !== null)) return null;
  if (length !== null && set.lengths && !set.lengths.includes(length)) return null;
  if ("gammon" in given && best === null) return null;

  const target = best === null ? length : Math.floor(best / 2) + 1;
  const rules = { ...set, name, target, best_of_games: best };
  // What is off by itself may not be named.
  const off = (option, how) => {
    if (!how) return true;
    rules[option] = false;
    return !(option in given);
  };
  if (!off("cube", set.cube && length !== null && length < set.cube_from_length)) return null;
  if (given.cube === false) rules.cube = false;
  if (!off("crawford", !rules.cube || target === 1) || !off("jacoby", !rules.cube)) return null;
  if (best !== null && rules.cube) return null;
  if (given.crawford === false) rules.crawford = false;
  if (given.jacoby === false) rules.jacoby = false;
  if (given.no_hit_and_run_at_home) rules.no_hit_and_run_at_home = true;
  if (given.gammon) rules.gammon = rules.backgammon = 1;
  return rules;
}
