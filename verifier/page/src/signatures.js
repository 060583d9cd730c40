// The service's signatures (PROTOCOL.md, G1, G2, G6), by WebCrypto's Ed25519.
import { encode, fromHex, sha256 } from "./bytes.js";

/** G6, with the highest bit of the last byte cleared. */
const SMALL_ORDER = new Set([
  "00".repeat(32),
  "01" + "00".repeat(31),
  "ec" + "ff".repeat(30) + "7f",
  "ed" + "ff".repeat(30) + "7f",
  "ee" + "ff".repeat(30) + "7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

/** G6: whether anybody can sign under this key. */
export function isWeak(publicKey) {
  const last = parseInt(publicKey.slice(62), 16) & 0x7f;
  return SMALL_ORDER.has(publicKey.slice(0, 62) + last.toString(16).padStart(2, "0"));
}

/** L5: the short name of a public key. */
export const keyIdOf = async (publicKey) => (await sha256(fromHex(publicKey))).slice(0, 16);

/** G1: what is signed. */
export const headMessage = (matchId, seq, head) => `zarf/1:head:${matchId}:${seq}:${head}`;

/**
 * A verifier of signatures over heads under one key.
 * @param {string} publicKey 64 hex digits
 * @returns {Promise<(matchId: string, seq: number, head: string, sig: string) => Promise<boolean>>}
 */
export async function headVerifier(publicKey) {
  let key = null;
  if (!isWeak(publicKey)) {
    try {
      key = await crypto.subtle.importKey("raw", fromHex(publicKey), "Ed25519", false, ["verify"]);
    } catch (error) {
      // Bytes that are no point of the curve are no key; a browser without Ed25519 is another matter.
      if (error.name === "NotSupportedError") throw error;
    }
  }
  return async (matchId, seq, head, sig) =>
    key !== null &&
    crypto.subtle.verify("Ed25519", key, fromHex(sig), encode(headMessage(matchId, seq, head)));
}
