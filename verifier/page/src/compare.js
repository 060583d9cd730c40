// Receipts held against a log (PROTOCOL.md, R4 to R6), and the pairs of statements that contradict.
import { sameBytes } from "./bytes.js";
import { statement } from "./fraud.js";
import { InputError } from "./log.js";
import { openingHolds } from "./receipts.js";

/** R6: the signature line that binds line `seq` of a log, or null. */
function binder(log, seq) {
  for (let next = seq + 1; next < log.lines.length; next++) {
    const { event } = log.lines[next];
    if (!event || event.prev !== log.lines[next - 1].head) return null;
    if (event.type === "signature" && log.signed.has(next)) return log.lines[next];
  }
  return null;
}

const ofLog = (log, first, bound) =>
  statement(log.lines.slice(first, bound.seq), first, bound.seq - 1, bound.event.sig);

const ofRoll = ({ seq, bytes, sig }) => statement([{ bytes }], seq, seq, sig);

/** A whole log ends with a reveal and its signature. */
const wholeReveal = ({ lines, rest }) =>
  rest === 0 && lines.at(-1)?.event?.type === "signature" && lines.at(-2)?.event?.type === "reveal"
    ? lines.at(-2)
    : null;

/** One receipt line that the log does not hold at its number; null where the log does, or is short. */
function judge(log, seq, head, own) {
  const reveal = wholeReveal(log);
  if (seq < log.lines.length && log.lines[seq].head === head) return null;
  if (seq >= log.lines.length && !reveal) return null;
  const line = Math.min(seq, log.lines.length - 1);
  const from = reveal && seq > reveal.seq ? reveal.seq : seq;
  const bound = binder(log, from);
  const code = own && bound ? "receipt-contradiction" : "receipt-differs";
  return { code, seq: line, field: "", pair: own && bound ? [ofLog(log, from, bound), own] : null };
}

/** The statement of an opening receipt that begins with its line `seq`, or null for its last. */
function ofOpening(opening, seq) {
  const signer = opening.findIndex(({ event }, i) => i > seq && event.type === "signature");
  return signer < 0
    ? null
    : statement(opening.slice(seq, signer), seq, signer - 1, opening[signer].event.sig);
}

async function compareOpening(log, { opening, data }) {
  const [{ event: mine }] = opening;
  if (mine.public_key !== log.match.public_key) {
    return [{ code: "receipt-other-key", seq: 0, field: "public_key", found: mine.key_id }];
  }
  if (!(await openingHolds(opening, log.keyId, log.verifyHead))) {
    return [{ code: "receipt-invalid", seq: 0, field: "" }];
  }
  log.anchored ||= mine.seeding !== "direct" && sameBytes(log.data.subarray(0, data.length), data);
  for (const { seq, head } of opening) {
    const differs = judge(log, seq, head, ofOpening(opening, seq));
    if (differs) return [differs];
  }
  return [];
}

/** R6: the first of one file's roll receipts, by `seq`, that speaks against the log. */
async function compareRolls(log, { rolls }, kept) {
  const found = [];
  const holds = new Map(
    await Promise.all(
      rolls.map(async (roll) => {
        const { match_id: matchId, seq, head, sig } = roll;
        return [roll, await log.verifyHead(matchId, seq, head, sig)];
      }),
    ),
  );
  for (const receipt of [...rolls].sort((a, b) => a.seq - b.seq)) {
    if (found.length > 0) break;
    const { key_id: keyId, seq, head } = receipt;
    if (keyId !== log.keyId) {
      found.push({ code: "receipt-other-key", seq: 0, field: "key_id", found: keyId });
    } else if (!holds.get(receipt)) {
      found.push({ code: "receipt-invalid", seq: Math.min(seq, log.lines.length - 1), field: "" });
    } else {
      const differs = judge(log, seq, head, ofRoll(receipt));
      const other = kept.get(seq) ?? receipt;
      kept.set(seq, other);
      if (differs) found.push({ ...differs, roll: receipt.event.index });
      if (other.head !== head) {
        const pair = [ofRoll(other), ofRoll(receipt)];
        const line = Math.min(seq, log.lines.length - 1);
        found.push({ code: "receipt-contradiction", seq: line, field: "", pair });
      }
    }
  }
  return found;
}

/**
 * All receipts against one log; sets `log.anchored` (R5).
 * @param {object} log `lines`, `rest`, `data`, `match`, `keyId`, `verifyHead`, `signed`
 * @param {object[]} receipts from `readReceipts`
 * @returns {Promise<object[]>} failures, some with a `pair` of statements
 * @throws {InputError} `receipt-other-match` (R4)
 */
export async function compareReceipts(log, receipts) {
  const other = receipts.find(({ matchId }) => matchId !== log.match.match_id);
  if (other) throw new InputError("receipt-other-match", other.matchId);
  const found = [];
  const kept = new Map();
  for (const each of receipts) {
    if (each.opening) found.push(...(await compareOpening(log, each)));
    found.push(...(await compareRolls(log, each, kept)));
  }
  const once = new Map();
  for (const failure of found) {
    const name = `${failure.code} ${failure.seq}`;
    if (!once.has(name) || (failure.pair && !once.get(name).pair)) once.set(name, failure);
  }
  return [...once.values()];
}
