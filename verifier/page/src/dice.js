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

/** D2 for many rolls of one match: the messages differ in their ends, so one buffer holds each. */
function messageWriter(matchId, seeds) {
  const start = encode(rollMessage(matchId, seeds, "", "")).subarray(0, -1);
  const buffer = new Uint8Array(start.length + 64);
  buffer.set(start);
  return (index, block) => {
    const end = `${index}:${block}`;
    for (let i = 0; i < end.length; i++) buffer[start.length + i] = end.charCodeAt(i);
    return buffer.subarray(0, start.length + end.length);
  };
}

/**
 * D1 to D4: many rolls, their digests asked for all at once, for that is much faster than in turn.
 * @param {CryptoKey} key the service's secret, by `secretKey`
 * @param {number[]} indexes
 * @param digestOf as `hmac`; it copies the message before it returns, as WebCrypto does
 * @returns {Promise<{index: number, dice: number[], digests: Uint8Array[]}[]>} a digest a block
 */
export async function rollAll(key, matchId, seeds, indexes, digestOf = hmac) {
  const message = messageWriter(matchId, seeds);
  const rolls = indexes.map((index) => ({ index, dice: [], digests: [] }));
  let lacking = rolls;
  for (let block = 0; lacking.length > 0; block++) {
    const asked = lacking.map(({ index }) => digestOf(key, message(index, block)));
    const answered = await Promise.all(asked);
    for (const [i, { dice, digests }] of lacking.entries()) {
      const digest = new Uint8Array(answered[i]);
      digests.push(digest);
      for (let at = 0; at < digest.length && dice.length < 2; at++) {
        if (digest[at] < 252) dice.push((digest[at] % 6) + 1);
      }
    }
    lacking = lacking.filter(({ dice }) => dice.length < 2);
  }
  return rolls;
}

/**
 * The workings of a roll of `rollAll`.
 * @returns {object[]} each block's message and digest, and its reading by `readDigest`
 */
export function workingsOf(matchId, seeds, { index, digests }) {
  let need = 2;
  return digests.map((digest, block) => {
    const read = readDigest(digest, need);
    need -= read.dice.length;
    return { message: rollMessage(matchId, seeds, index, block), digest, ...read };
  });
}

/** The service's seed as a key for `roll`. */
export const secretKey = (seed) => hmacKey(fromHex(seed));
