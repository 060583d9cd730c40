// The page's rules say of every position in tests/vectors/rules what those vectors say.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { START, left, pips } from "../../../verifier/page/src/rules/board.js";
import { legalEnds, playWritten } from "../../../verifier/page/src/rules/moves.js";
import { writePlay } from "../../../verifier/page/src/rules/notation.js";
import { resolve } from "../../../verifier/page/src/rules/rulesets.js";

const load = (name) =>
  JSON.parse(readFileSync(new URL(`../../vectors/rules/${name}`, import.meta.url), "utf-8"));
const plain = { loose_bearing_off: false, no_hit_and_run_at_home: false };
const endsOf = ({ me, opp, dice, style = [] }) =>
  legalEnds(me, opp, dice, { ...plain, ...Object.fromEntries(style.map((name) => [name, true])) });
const playsOf = (vector) => [
  ...new Set(endsOf(vector).map(({ steps, hits }) => writePlay(steps, hits))),
];

for (const vector of load("tricky.json")) {
  test(`R10, R11: ${vector.name}`, () => {
    assert.deepEqual(playsOf(vector).sort(), vector.plays.sort());
    const ends = endsOf(vector);
    for (const play of vector.plays) assert.ok(playWritten(ends, vector.me, play), play);
  });
}

for (const vector of load("notation.json")) {
  test(`canonical form: ${vector.why}: ${vector.written}`, () => {
    const legal = playsOf(vector);
    if (vector.canonical === "") return assert.deepEqual(legal, []);
    if (vector.canonical) assert.ok(legal.includes(vector.canonical), legal.join(", "));
    if (vector.written === vector.canonical) return undefined;
    assert.ok(!legal.includes(vector.written));
    return assert.equal(playWritten(endsOf(vector), vector.me, vector.written), undefined);
  });
}

test("R3: 15 checkers a side, 167 pips", () => {
  assert.equal(left(START), 15);
  assert.equal(pips(START), 167);
});

test("R32, R33: what cannot hold together is refused", () => {
  const given = (name, length, options = {}) =>
    resolve(name, length, new Map(Object.entries(options)));
  assert.equal(given("oyna-backgammon", 5).crawford, true);
  assert.equal(given("oyna-backgammon", 1).crawford, false);
  assert.equal(given("tavlino", 1).cube, false);
  assert.equal(given("tavlino", 3).cube, true);
  assert.equal(given("oyna-tavla", null, { best_of_games: 5, gammon: 1 }).target, 3);
  assert.equal(given("oyna-backgammon", null, { best_of_games: 5, cube: false }).target, 3);
  const refused = [
    ["oyna-backgammon", 4],
    ["oyna-backgammon", null],
    ["jacoby-match", null],
    ["oyna-tavla", 5, { cube: false }],
    ["tavlino", 1, { cube: false }],
    ["tavlino", 5, { crawford: true }],
    ["tavlino", 5, { jacoby: false }],
    ["oyna-backgammon", 5, { cube: false, crawford: false }],
    ["oyna-backgammon", 1, { crawford: false }],
    ["oyna-tavla", null, { best_of_games: 4 }],
    ["oyna-tavla", null, { best_of_games: 101 }],
    ["oyna-tavla", 5, { best_of_games: 5 }],
    ["oyna-backgammon", null, { best_of_games: 5 }],
    ["oyna-tavla", 5, { gammon: 1 }],
    ["oyna-tavla", 5, { unheard_of: true }],
    ["oyna-tavla", 5, { constructor: true }],
    ["oyna-backgammon", 5, { cube: 0 }],
  ];
  for (const each of refused) assert.equal(given(...each), null, JSON.stringify(each));
});
