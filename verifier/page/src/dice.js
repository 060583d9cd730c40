// The dice (PROTOCOL.md, D1 to D4) and the seeds they come from (S1, S2).
import { encode, fromHex, hmac, hmacKey, sha256 } from "./bytes.js";

/** S1: 64 lower-case hex digits that are not 32 equal bytes. */
export const isSeed = (text) =>
  typeof text === "string" &&
  text.length === 64 &&
  /^[0-9a-f]+$/.test(text) &&
  text !== text.slice(0, 2).repeat(32);

/** S2: the commitment to a seed, of the bytes and not of the hex. */
export const commitmentOf = (seed) => sha256(fromHex(seed));

/** D2: what is hashed for a roll. */
export const rollMessage = (matchId, seeds, index, block) =>
  `zarf/1:roll:${matchId}:${seeds[0]}:${seeds[1]}:${index}:${block}`;

/**
 * D3, D4: one block's reading.
 * @param {Uint8Array} digest
 * @param {number} need how many dice are still wanted
 * @returns {{dice: number[], taken: number[], skipped: number[]}} positions in the digest
 */
export function readDigest(digest, need) {
  const read = { dice: [], taken: [], skipped: [] };
  for (let at = 0; at < digest.length && read.dice.length < need; at++) {
    if (digest[at] >= 252) {
      read.skipped.push(at);
    } else {
      read.taken.push(at);
      read.dice.push((digest[at] % 6) + 1);
    }
  }
  return read;
}

/**
 * D1 to D4: a roll with all its workings.
 * @param {CryptoKey} key the service's secret, by `secretKey`
 * @returns {Promise<{dice: number[], blocks: object[]}>} each block with message, digest, readings
 */
export async function roll(key, matchId, seeds, index, digestOf = hmac) {
  const dice = [];
  const blocks = [];
  while (dice.length < 2) {
    const message = rollMessage(matchId, seeds, index, blocks.length);
    const digest = await digestOf(key, encode(message));
    const read = readDigest(digest, 2 - dice.length);
    dice.push(...read.dice);
    blocks.push({ message, digest, ...read });
  }
  return { dice, blocks };
}

/** The service's seed as a key for `roll`. */
export const secretKey = (seed) => hmacKey(fromHex(seed));
