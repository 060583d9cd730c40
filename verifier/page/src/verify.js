// A log judged (PROTOCOL.md, F and V): the report is data, its codes have their words in i18n.
import { commitmentOf, isSeed, rollAll, secretKey } from "./dice.js";
import { compareReceipts } from "./compare.js";
import { proofOf } from "./fraud.js";
import { InputError, readLog } from "./log.js";
import { followOrder } from "./order.js";
import { headVerifier, keyIdOf } from "./signatures.js";

/** V3, in its order. */
export const CHECKS = [
  "grammar",
  "order",
  "commitment",
  "player_seeds",
  "dice",
  "plays",
  "chain",
  "signatures",
  "receipt",
  "my_seed",
  "key",
];

const EXIT = { VERIFIED: 0, CONSISTENT: 0, FAILED: 1, INCOMPLETE: 3 };

/** V2; what cannot be read is 2. */
export const exitStatus = (verdict) => EXIT[verdict] ?? 2;

/** F4: whose line is charged with a `prev` that does not fit. */
function chainFailures(lines) {
  const wrong = (seq) => {
    const event = lines[seq]?.event;
    return seq > 0 && event?.prev !== undefined && event.prev !== lines[seq - 1].head;
  };
  const charged = new Map();
  for (const { seq, event } of lines) {
    if (!wrong(seq)) continue;
    const { head } = lines[seq - 1];
    const itself =
      wrong(seq + 1) ||
      lines[seq].head === head ||
      (event.type === "signature" && event.head === head);
    const at = itself ? seq : seq - 1;
    if (charged.has(at)) continue;
    const failure = { check: "chain", code: "prev-mismatch", seq: at, field: itself ? "prev" : "" };
    charged.set(at, { ...failure, expected: head, found: event.prev });
  }
  return [...charged.values()];
}

/** F5: of the signature lines and the match line; collects the signatures that hold. */
async function signatureFailures(log) {
  const { lines, match, keyId, verifyHead, signed } = log;
  const { seq: named } = lines.find(({ event }) => event === match);
  const failures = [];
  const add = (code, seq, field, expected = "", found = "") =>
    failures.push({ check: "signatures", code, seq, field, expected, found });
  if (match.key_id !== keyId) add("key-id-mismatch", named, "key_id", keyId, match.key_id);
  for (const { seq, event } of lines) {
    if (event?.type !== "signature" || seq === 0) continue;
    const before = lines[seq - 1];
    const broken = event.prev !== before.head;
    if (event.key_id !== keyId) add("key-id-mismatch", seq, "key_id", keyId, event.key_id);
    else if (event.seq !== seq - 1) {
      add("signature-head", seq, "seq", String(seq - 1), String(event.seq));
    } else if (event.head !== before.head && !broken) {
      add("signature-head", seq, "head", before.head, event.head);
    } else if (!(await verifyHead(match.match_id, event.seq, event.head, event.sig))) {
      add("signature-invalid", seq, "sig");
    } else if (event.head === before.head) signed.add(seq);
    const time = before.event?.time;
    if (time !== undefined && event.time !== time) {
      add("signature-time", seq, "time", time, event.time);
    }
  }
  return failures;
}

/** S2, S3: every opened seed against its commitment, and the commitments against each other. */
async function seedFailures(found) {
  const { match, commitments, seeds, reveal } = found;
  const failures = [];
  const add = (check, code, seq, field, expected, was) =>
    failures.push({ check, code, seq, field, expected, found: was });
  for (const player of [0, 1]) {
    const line = commitments[player];
    if (!line) continue;
    const { commitment } = line.event;
    const other = commitments[1 - player];
    const mirrored =
      (other && other.seq < line.seq && other.event.commitment === commitment) ||
      match?.commitment === commitment;
    if (mirrored) add("player_seeds", "commitments-equal", line.seq, "commitment", "", commitment);
    if (!seeds[player]) continue;
    const was = await commitmentOf(seeds[player].event.seed);
    if (was !== commitment) {
      add("player_seeds", "seed-mismatch", seeds[player].seq, "seed", commitment, was);
    }
  }
  if (match && reveal) {
    const was = await commitmentOf(reveal.event.server_seed);
    if (was !== match.commitment) {
      add("commitment", "server-seed-mismatch", reveal.seq, "server_seed", match.commitment, was);
    }
  }
  return failures;
}

/** F6: every readable roll with its digests, or why none could be recomputed. */
export async function recompute(found, broken) {
  const { match, seeds, reveal, rolls } = found;
  if (rolls.length === 0) return { why: "no-rolls", rolls: [] };
  if (!match) return { why: "no-match-line", rolls: [] };
  if (!reveal) return { why: "not-revealed", rolls: [] };
  if (!seeds[0] || !seeds[1]) return { why: "seeds-missing", rolls: [] };
  if (broken) return { why: "commitment-broken", rolls: [] };
  const key = await secretKey(reveal.event.server_seed);
  const secrets = seeds.map(({ event }) => event.seed);
  const indexes = rolls.map(({ event }) => event.index);
  const due = await rollAll(key, match.match_id, secrets, indexes);
  const worked = rolls.map(({ seq, event: { dice: found } }, i) => {
    const { index, dice, digests } = due[i];
    const agrees = dice[0] === found[0] && dice[1] === found[1];
    return { seq, index, found, agrees, dice, digests };
  });
  return { why: "", rolls: worked };
}

/** The first line of each kind that the seeds and the dice are read from. */
function collect(lines) {
  const first = (type, player) =>
    lines.find(({ event }) => event?.type === type && (player ?? event.player) === event.player);
  return {
    match: lines.find(({ event }) => event?.type === "match")?.event ?? null,
    commitments: [0, 1].map((player) => first("seed_commitment", player)),
    seeds: [0, 1].map((player) => first("seed", player)),
    reveal: first("reveal"),
    end: first("match_end"),
    rolls: lines.filter(({ event }) => event?.type === "roll"),
  };
}

/** V3: the user's own seed among the opened ones. */
function ownSeed(mySeed, found) {
  if (mySeed === null) return { why: "not-given", failures: [] };
  if (!isSeed(mySeed)) throw new InputError("my-seed-malformed");
  const sealed = [found.match, ...found.commitments.map((line) => line?.event)];
  if (sealed.some((event) => event?.commitment === mySeed)) {
    throw new InputError("my-seed-is-a-commitment");
  }
  const open = found.seeds.filter(Boolean);
  if (open.some(({ event }) => event.seed === mySeed)) return { why: "", failures: [] };
  if (open.length < 2) return { why: "seeds-missing", failures: [] };
  const { seq } = open[0].seq < open[1].seq ? open[0] : open[1];
  return { why: "", failures: [{ check: "my_seed", code: "my-seed-absent", seq, field: "seed" }] };
}

function ownKey(key, match) {
  if (key === null) return { why: "not-given", failures: [] };
  if (!/^[0-9a-f]{64}$/.test(key)) throw new InputError("key-malformed");
  if (!match) return { why: "no-match-line", failures: [] };
  const failure = {
    check: "key",
    code: "key-other",
    seq: 0,
    field: "public_key",
    expected: key,
    found: match.public_key,
  };
  return { why: "", failures: match.public_key === key ? [] : [failure] };
}

function incomplete({ lines, rest }, found) {
  if (rest > 0) return "cut-short";
  if (!found.end) return "not-ended";
  if (!found.reveal) return "not-revealed";
  return lines.at(-1).event?.type === "signature" && lines.at(-1).seq > found.reveal.seq
    ? ""
    : "not-signed";
}

/** V1 */
function verdictOf(log, found, failures, dice) {
  if (failures.length > 0) {
    const plays = failures.every(({ check }) => check === "plays") && dice.why === "";
    return { verdict: "FAILED", why: plays ? "plays-only" : "" };
  }
  const lacks = incomplete(log, found);
  if (lacks) return { verdict: "INCOMPLETE", why: lacks };
  if (found.rolls.length === 0) return { verdict: "CONSISTENT", why: "no-rolls" };
  if (found.match?.seeding === "direct") return { verdict: "CONSISTENT", why: "direct-seeding" };
  if (!log.anchored) return { verdict: "CONSISTENT", why: "not-anchored" };
  return { verdict: "VERIFIED", why: "" };
}

/**
 * Judge a log.
 * @param {Uint8Array} data the file
 * @param {{receipts?: object[], mySeed?: string | null, key?: string | null}} given receipts from
 *   `readReceipts`, the user's seed and the service's public key in hex
 * @returns {Promise<object>} the report: `verdict`, `why`, `failures` (F8), `checks` (V3; each with
 *   `status` and `why`), `rolls` with their digests, `failedRolls`, `lines`, `states`, `proof`
 * @throws {InputError} for what cannot be read (exit status 2)
 */
export async function verifyLog(data, { receipts = [], mySeed = null, key = null } = {}) {
  const { lines, rest } = await readLog(data);
  const found = collect(lines);
  const { match } = found;
  const own = ownSeed(mySeed, found);
  const named = ownKey(key, match);
  const log = { lines, rest, data, match, signed: new Set(), anchored: false };
  if (match) {
    log.keyId = await keyIdOf(match.public_key);
    log.verifyHead = await headVerifier(match.public_key);
  }
  const grammar = lines
    .filter(({ event }) => !event)
    .map(({ seq, code, field, found: was }) => ({
      check: "grammar",
      code,
      seq,
      field,
      found: was,
    }));
  const order = followOrder(lines);
  const seeds = await seedFailures(found);
  const broken = seeds.some(({ code }) => code !== "commitments-equal");
  const dice = await recompute(found, broken);
  const wrong = dice.rolls.filter(({ agrees }) => !agrees);
  const signatures = match ? await signatureFailures(log) : [];
  const compared = match ? await compareReceipts(log, receipts) : [];
  const failures = [
    ...grammar,
    ...order.failures,
    ...seeds,
    ...wrong.map(({ seq, index, dice: due, found: was }) => ({
      check: "dice",
      code: "dice-mismatch",
      seq,
      field: "dice",
      roll: index,
      expected: due.join("-"),
      found: was.join("-"),
    })),
    ...chainFailures(lines),
    ...signatures,
    ...compared.map(({ pair, ...failure }) => ({ check: "receipt", ...failure })),
    ...own.failures,
    ...named.failures,
  ].sort((a, b) => a.seq - b.seq || CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check));

  const { verdict, why } = verdictOf(log, found, failures, dice);
  const stopped = order.followed < lines.length;
  const notChecked = {
    order: grammar.length > 0 ? "line-refused" : "",
    commitment: !match ? "no-match-line" : found.reveal ? "" : "not-revealed",
    player_seeds:
      match?.seeding === "direct" ? "direct" : found.seeds.every(Boolean) ? "" : "seeds-missing",
    dice: dice.why,
    plays: !match
      ? "no-match-line"
      : match.rules === null
        ? "dice-only"
        : stopped
          ? "order-broken"
          : "",
    signatures: match ? "" : "no-match-line",
    receipt: receipts.length === 0 ? "not-given" : match ? "" : "no-match-line",
    my_seed: own.why,
    key: named.why,
  };
  const checks = CHECKS.map((name) => {
    const failed = failures.some(({ check }) => check === name);
    const reason = notChecked[name] ?? "";
    return {
      name,
      status: failed ? "failed" : reason ? "unchecked" : "passed",
      why: failed ? "" : reason,
    };
  });
  return {
    verdict,
    why,
    failures,
    checks,
    match,
    lines,
    rest,
    end: found.end?.event ?? null,
    keyId: log.keyId ?? "",
    anchored: log.anchored,
    seeds: found.seeds.map((line) => line?.event.seed ?? null),
    serverSeed: found.reveal?.event.server_seed ?? null,
    rolls: dice.rolls,
    failedRolls: wrong.map(({ index }) => index),
    states: order.states,
    proof: match
      ? await proofOf(
          match,
          compared.flatMap(({ pair }) => (pair ? [pair] : [])),
        )
      : null,
  };
}
