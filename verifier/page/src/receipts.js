// The receipts a player's device keeps (PROTOCOL.md, R1 to R3): reading, and whether they hold.
import { encode, sha256 } from "./bytes.js";
import { ROLL_RECEIPT, decodeLine } from "./grammar.js";
import { InputError, splitLines } from "./log.js";

/** R3: the lines a roll receipt can be for. */
const RECEIPTED = new Set([
  "roll",
  "play",
  "pass_unrolled",
  "double",
  "take",
  "drop",
  "resign_offer",
  "resign_accept",
  "resign_refuse",
  "game_end",
  "reveal",
]);
const COMMITTED = "match,signature,seed_commitment,seed_commitment,signature";
const isReceipt = (bytes) =>
  new TextDecoder().decode(bytes.subarray(0, 24)).includes("roll_receipt");

async function readOpening(parts) {
  const lines = [];
  for (const [seq, bytes] of parts.entries()) {
    const { event, code } = decodeLine(bytes);
    if (!event) throw new InputError(code === "protocol-unknown" ? code : "receipt-unreadable");
    lines.push({ seq, bytes, head: await sha256(bytes), event });
  }
  const types = lines.map(({ event }) => event.type).join();
  const due = lines[0].event.seeding === "direct" ? "match,signature" : COMMITTED;
  if (types !== due) throw new InputError("receipt-not-an-opening");
  return lines;
}

async function readRoll(bytes) {
  const { event } = decodeLine(bytes, ROLL_RECEIPT, true);
  if (!event) throw new InputError("receipt-unreadable");
  const line = encode(event.line);
  const inner = decodeLine(line).event;
  if (!inner || !RECEIPTED.has(inner.type)) throw new InputError("receipt-not-of-a-roll");
  if ((await sha256(line)) !== event.head) throw new InputError("receipt-head");
  return { ...event, bytes: line, event: inner };
}

/**
 * A receipt file.
 * @param {Uint8Array} data
 * @returns {Promise<{matchId: string, opening: object[] | null, rolls: object[], data: Uint8Array}>}
 *   `opening` as lines like a log's, `data` their bytes
 * @throws {InputError} where the file is not what R3 says
 */
export async function readReceipts(data) {
  const { lines, rest } = splitLines(data);
  if (lines.length === 0 || rest > 0) throw new InputError("receipt-unreadable");
  const first = lines.findIndex(isReceipt);
  const count = first < 0 ? lines.length : first;
  const opening = count > 0 ? await readOpening(lines.slice(0, count)) : null;
  const rolls = await Promise.all(lines.slice(count).map(readRoll));
  const matchId = opening ? opening[0].event.match_id : rolls[0].match_id;
  if (rolls.some((roll) => roll.match_id !== matchId)) throw new InputError("receipt-two-matches");
  const length = lines.slice(0, count).reduce((sum, line) => sum + line.length + 1, 0);
  return { matchId, opening, rolls, data: data.slice(0, length) };
}

/** R4: whether an opening receipt's chain and signatures hold under its match line's key. */
export async function openingHolds(opening, keyId, verifyHead) {
  const matchId = opening[0].event.match_id;
  if (opening[0].event.key_id !== keyId) return false;
  for (const { seq, event } of opening.slice(1)) {
    const before = opening[seq - 1];
    if (event.prev !== before.head) return false;
    if (event.type !== "signature") continue;
    const { seq: signed, head, key_id: signer, sig } = event;
    if (signer !== keyId || signed !== seq - 1 || head !== before.head) return false;
    if (!(await verifyHead(matchId, signed, head, sig))) return false;
  }
  return true;
}
