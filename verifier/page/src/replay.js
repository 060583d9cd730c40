// A report's lines of play as items of a list, each with the position after it.

/**
 * @param {object} report from `verifyLog`
 * @returns {object[]} items with `seq`, `kind`, `player`, and `state` (null in a dice-only match, or
 *   where the rules were broken before); of a roll also `index`, `dice`, `opening`, `agrees` (null
 *   where it was not recomputed) and `play`; of other lines `event`. `wrong` marks a broken rule.
 */
export function itemsOf(report) {
  const worked = new Map(report.rolls.map((roll) => [roll.seq, roll]));
  const broken = new Set(
    report.failures.filter(({ check }) => check === "plays").map(({ seq }) => seq),
  );
  const refereed = report.match !== null && report.match.rules !== null;
  const items = [];
  let state = report.states.get(0) ?? null;
  if (refereed && state) items.push({ seq: 0, kind: "start", player: null, state });
  for (const { seq, event } of report.lines) {
    if (!event || ["match", "signature", "seed_commitment", "seed", "reveal"].includes(event.type))
      continue;
    state = report.states.get(seq) ?? (broken.has(seq) ? null : state);
    const at = { seq, player: event.player ?? null, state, wrong: broken.has(seq) };
    const before = items.at(-1);
    if (event.type === "roll") {
      const { index, dice, purpose } = event;
      const agrees = worked.get(seq)?.agrees ?? null;
      items.push({
        ...at,
        kind: "roll",
        index,
        dice,
        opening: purpose === "opening",
        agrees,
        play: null,
      });
    } else if (event.type === "play" && before?.kind === "roll" && !before.play) {
      Object.assign(before, {
        play: { ...event, seq },
        player: event.player,
        state,
        wrong: at.wrong || before.wrong,
      });
    } else {
      items.push({ ...at, kind: event.type, player: event.player ?? event.winner ?? null, event });
    }
  }
  return items;
}
