// A file as lines (PROTOCOL.md, L1 to L3).
import { sha256 } from "./bytes.js";
import { decodeLine } from "./grammar.js";

export const MAX_BYTES = 64 * 1024 * 1024;
export const MAX_LINES = 2 ** 19;

/** What cannot be read at all: exit status 2 (V2). `code` has a sentence of its own. */
export class InputError extends Error {
  constructor(code, found = "") {
    super(code);
    Object.assign(this, { code, found });
  }
}

/**
 * L2: the lines of a file, without their line ends.
 * @param {Uint8Array} data
 * @returns {{lines: Uint8Array[], rest: number}} `rest` counts the bytes after the last line end
 */
export function splitLines(data) {
  const lines = [];
  let start = 0;
  for (let end; (end = data.indexOf(0x0a, start)) >= 0; start = end + 1) {
    lines.push(data.subarray(start, end));
    if (lines.length > MAX_LINES) throw new InputError("log-too-large");
  }
  return { lines, rest: data.length - start };
}

/**
 * A log, read line by line.
 * @param {Uint8Array} data
 * @returns {Promise<{lines: object[], rest: number}>} each line with its `seq`, `bytes`, `head`
 *   (L3) and either `event` or the `code`, `field` and `found` of F2
 * @throws {InputError} where there is no line to judge (V2)
 */
export async function readLog(data) {
  if (data.length > MAX_BYTES) throw new InputError("log-too-large");
  const { lines, rest } = splitLines(data);
  if (lines.length === 0) throw new InputError(data.length ? "log-no-line" : "log-empty");
  const hashing = Promise.all(lines.map(sha256)); // on other threads, while this one reads
  const read = lines.map((bytes) => decodeLine(bytes));
  if (!read.some(({ event }) => event)) throw new InputError("log-not-a-log");
  const heads = await hashing;
  return {
    lines: lines.map((bytes, seq) => ({ seq, bytes, head: heads[seq], ...read[seq] })),
    rest,
  };
}
