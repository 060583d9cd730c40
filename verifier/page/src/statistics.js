// How often each number fell, beside what fair dice give: binomial, the 95 per cent band by counting
// outwards from both tails (at most 2.5 per cent on either side).

/** The band of a binomial(n, p): [low, high], both inside. */
export function band(n, p) {
  // In logarithms, so that long matches do not run out of doubles.
  const chance = [n * Math.log(1 - p)];
  for (let k = 1; k <= n; k++) {
    chance.push(chance[k - 1] + Math.log(((n - k + 1) / k) * (p / (1 - p))));
  }
  const inside = (from, by) => {
    let k = from;
    for (let sum = Math.exp(chance[k]); sum < 0.025 && k + by >= 0 && k + by <= n;) {
      k += by;
      sum += Math.exp(chance[k]);
    }
    return k;
  };
  return [inside(0, 1), inside(n, -1)];
}

const tally = (rolls, owner) => {
  const mine = rolls.filter((roll) => owner === null || roll.player === owner);
  const dice = mine.flatMap((roll) => roll.dice);
  const row = (count, n, p) => ({ count, n, expected: n * p, band: band(n, p) });
  return {
    owner,
    rolls: mine.length,
    faces: [1, 2, 3, 4, 5, 6].map((face) =>
      row(dice.filter((die) => die === face).length, dice.length, 1 / 6),
    ),
    doubles: row(mine.filter(({ dice: [a, b] }) => a === b).length, mine.length, 1 / 6),
  };
};

/**
 * @param {{player: number | null, dice: number[]}[]} rolls
 * @returns {object[]} for both players together, then for each who has rolls of its own: the counts
 *   of the six faces and of doubles, each with `n`, `expected` and `band`
 */
export const statisticsOf = (rolls) =>
  [null, 0, 1].map((owner) => tally(rolls, owner)).filter(({ rolls: n }) => n > 0);
