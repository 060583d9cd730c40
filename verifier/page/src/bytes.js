// Bytes, hex and the two hashes. WebCrypto does all the cryptography of this page.

const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The UTF-8 bytes of a text. */
export const encode = (text) => utf8.encode(text);

/** Whether a text has no half of a surrogate pair; older browsers lack `isWellFormed`. */
export const wellFormed = (text) => !/\p{Surrogate}/u.test(text);

/** The text of UTF-8 bytes, or null where they are not UTF-8. */
export function decode(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes) {
  let text = "";
  for (const byte of new Uint8Array(bytes)) text += HEX[byte];
  return text;
}

/** The bytes of an even number of lower-case hex digits. */
export const fromHex = (hex) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));

/** SHA-256 of bytes, as 64 hex digits. */
export const sha256 = async (bytes) => toHex(await crypto.subtle.digest("SHA-256", bytes));

/** A key for `hmac`, made once for all the rolls of a match. */
export const hmacKey = (bytes) =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

/** HMAC-SHA256 of bytes under a key of `hmacKey`, as an ArrayBuffer. */
export const hmac = (key, bytes) => crypto.subtle.sign("HMAC", key, bytes);

/** Whether two byte arrays hold the same bytes. */
export const sameBytes = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
