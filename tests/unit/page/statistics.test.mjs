// The band of fair dice, against the binomial counted exactly in whole numbers.
import assert from "node:assert/strict";
import { test } from "node:test";

import { band, statisticsOf } from "../../../verifier/page/src/statistics.js";

/** The same band from sums of n!/(k!(n-k)!) * 5^(n-k) over 6^n, without rounding. */
function exactly(n) {
  let ways = 5n ** BigInt(n);
  const all = 6n ** BigInt(n);
  const terms = [ways];
  for (let k = 1n; k <= BigInt(n); k++) {
    ways = (ways * (BigInt(n) - k + 1n)) / (5n * k);
    terms.push(ways);
  }
  const tail = (list) => {
    let sum = 0n;
    return list.findIndex((term) => {
      sum += term;
      return sum * 40n >= all;
    });
  };
  return [tail(terms), n - tail([...terms].reverse())];
}

test("the band leaves at most 2.5 per cent on either side", () => {
  for (const n of [1, 2, 6, 10, 63, 126, 600, 2000])
    assert.deepEqual(band(n, 1 / 6), exactly(n), n);
});

test("faces and doubles are counted together and by player", () => {
  const [both, zero, one] = statisticsOf([
    { player: 0, dice: [6, 6] },
    { player: 1, dice: [1, 6] },
    { player: null, dice: [2, 2] },
  ]);
  assert.deepEqual(
    both.faces.map(({ count }) => count),
    [1, 2, 0, 0, 0, 3],
  );
  assert.equal(both.doubles.count, 2);
  assert.deepEqual([zero.rolls, zero.doubles.count, one.rolls, one.doubles.count], [1, 1, 1, 0]);
  assert.equal(statisticsOf([{ player: null, dice: [1, 2] }]).length, 1);
});
