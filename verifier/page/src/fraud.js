// Proof of fraud (PROTOCOL.md, P1 to P3): checked, found and written.
import { decode, encode, sha256, wellFormed } from "./bytes.js";
import { FRAUD_PROOF, decodeLine } from "./grammar.js";
import { write } from "./json.js";
import { InputError } from "./log.js";
import { headVerifier } from "./signatures.js";

/**
 * A proof file.
 * @param {Uint8Array} data
 * @returns {object} its fields; each of `statements` a plain object
 * @throws {InputError} `proof-unreadable`
 */
export function readProof(data) {
  const { event } = data.at(-1) === 0x0a ? decodeLine(data.slice(0, -1), FRAUD_PROOF, true) : {};
  if (!event) throw new InputError("proof-unreadable");
  return { ...event, statements: event.statements.map((each) => Object.fromEntries(each)) };
}

/** The bytes of a proof file. */
export const encodeProof = (proof) => encode(`${write(proof)}\n`);

async function readStatement({ first, seq, lines, sig }) {
  const read = [];
  for (const text of lines) {
    const bytes = encode(text);
    const { event } = decodeLine(bytes);
    if (!event || !wellFormed(text)) return null;
    read.push({ text, event, head: await sha256(bytes) });
  }
  return read.length > 0 && read.length === seq - first + 1
    ? { first, seq, sig, lines: read }
    : null;
}

/** P2: whether two statements cannot both be true. */
function contradict(a, b) {
  const line = (of, seq) => of.lines[seq - of.first];
  for (let seq = Math.max(a.first, b.first); seq <= Math.min(a.seq, b.seq); seq++) {
    if (line(a, seq).text !== line(b, seq).text) return true;
  }
  for (const [x, y] of [
    [a, b],
    [b, a],
  ]) {
    if (y.first === x.seq + 1 && y.lines[0].event.prev !== x.lines.at(-1).head) return true;
    if (x.lines.at(-1).event.type === "reveal" && y.seq > x.seq) return true;
  }
  const places = new Map();
  for (const of of [a, b]) {
    for (const [i, { event }] of of.lines.entries()) {
      if (event.type !== "roll") continue;
      const seq = of.first + i;
      if ((places.get(event.index) ?? seq) !== seq) return true;
      places.set(event.index, seq);
    }
  }
  return false;
}

/**
 * P3: what a proof lacks.
 * @param {object} proof from `readProof`, or made here
 * @returns {Promise<string>} "" if it holds
 */
export async function checkProof(proof) {
  const verifyHead = await headVerifier(proof.public_key);
  const read = [];
  for (const statement of proof.statements) {
    const each = await readStatement(statement);
    if (!each) return "proof-statement-malformed";
    const tied = each.lines.every(
      ({ event }, i) => i === 0 || event.prev === each.lines[i - 1].head,
    );
    if (!tied) return "proof-chain-broken";
    const { head } = each.lines.at(-1);
    if (!(await verifyHead(proof.match_id, each.seq, head, each.sig))) {
      return "proof-signature-invalid";
    }
    read.push(each);
  }
  return contradict(...read) ? "" : "proof-no-contradiction";
}

/** P1: the run of lines from `first` up to the line that is signed. */
export const statement = (lines, first, seq, sig) => ({
  first,
  seq,
  lines: lines.map(({ bytes }) => decode(bytes)),
  sig,
});

/**
 * The first pair of statements that makes a proof that holds.
 * @param {object} match the match line
 * @param {[object, object][]} pairs
 * @returns {Promise<object | null>}
 */
export async function proofOf(match, pairs) {
  for (const statements of pairs) {
    const { match_id, public_key } = match;
    const proof = { type: "fraud_proof", protocol: "zarf/1", match_id, public_key, statements };
    const readable = statements.every(({ lines }) => lines.every((line) => line !== null));
    if (readable && (await checkProof(proof)) === "") return proof;
  }
  return null;
}
