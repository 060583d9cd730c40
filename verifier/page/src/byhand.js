// The lines with which a person checks a roll without this page.
import { rollMessage } from "./dice.js";

/** S2: the service's commitment. `xxd`, because not every shell's printf writes bytes. */
export const commitmentLine = (seed) => `printf '%s' ${seed} | xxd -r -p | openssl dgst -sha256`;

/** D1, D2: a roll's digest. */
export const rollLine = (seed, matchId, seeds, index) =>
  `printf '%s' '${rollMessage(matchId, seeds, index, 0)}' | ` +
  `openssl dgst -sha256 -mac HMAC -macopt hexkey:${seed}`;

/** D1 to D4 in one line of Python, blocks and all. */
export const pythonLine = (seed, matchId, seeds, index) => {
  const message = rollMessage(matchId, seeds, index, "");
  return (
    `python3 -c "import hmac; print([b % 6 + 1 for k in range(9) for b in hmac.digest(` +
    `bytes.fromhex('${seed}'), b'${message}%d' % k, 'sha256') if b < 252][:2])"`
  );
};
