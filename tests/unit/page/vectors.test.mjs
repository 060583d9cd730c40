// The page's JavaScript says of every vector what tests/vectors/README.md says must be said.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { fromHex, toHex } from "../../../verifier/page/src/bytes.js";
import {
  commitmentOf,
  isSeed,
  readDigest,
  rollAll,
  secretKey,
  workingsOf,
} from "../../../verifier/page/src/dice.js";
import { checkProof, encodeProof, readProof } from "../../../verifier/page/src/fraud.js";
import { InputError } from "../../../verifier/page/src/log.js";
import { readReceipts } from "../../../verifier/page/src/receipts.js";
import {
  headMessage,
  headVerifier,
  isWeak,
  keyIdOf,
} from "../../../verifier/page/src/signatures.js";
import { exitStatus, verifyLog } from "../../../verifier/page/src/verify.js";

const FOLDER = new URL("../../vectors/", import.meta.url);
const load = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf-8"));
const all = (folder) => readdirSync(new URL(folder, FOLDER)).map((name) => load(folder + name));
const bytesOf = ({ text, base64 }) =>
  new Uint8Array(Buffer.from(text ?? base64, text === undefined ? "base64" : "utf-8"));

for (const vector of load("rolls.json")) {
  test(`D1 to D4: ${vector.shows}, index ${vector.index}`, async () => {
    const key = await secretKey(vector.server_seed);
    const [rolled] = await rollAll(key, vector.match_id, vector.seeds, [vector.index]);
    const { dice } = rolled;
    const blocks = workingsOf(vector.match_id, vector.seeds, rolled);
    assert.deepEqual(dice, vector.dice);
    assert.equal(blocks.length, 1);
    assert.equal(blocks[0].message, vector.message);
    assert.equal(toHex(blocks[0].digest), vector.digest);
    assert.deepEqual([blocks[0].taken, blocks[0].skipped], [vector.taken, vector.skipped]);
  });
}

for (const vector of load("bytes.json")) {
  test(`D3, D4: ${vector.shows}`, async () => {
    const messages = [];
    const digestOf = async (_, message) => {
      messages.push(Buffer.from(message).toString());
      return fromHex(vector.digests[messages.length - 1]);
    };
    const [rolled] = await rollAll(null, "m", ["0", "1"], [7], digestOf);
    const { dice } = rolled;
    const blocks = workingsOf("m", ["0", "1"], rolled);
    assert.deepEqual(dice, vector.dice);
    assert.deepEqual(
      blocks.map(({ taken }) => taken),
      vector.taken,
    );
    assert.deepEqual(
      blocks.map(({ skipped }) => skipped),
      vector.skipped,
    );
    assert.deepEqual(
      messages,
      vector.digests.map((_, block) => `zarf/1:roll:m:0:1:7:${block}`),
    );
  });
}

test("D3: nothing is read after the dice that are wanted", () => {
  assert.deepEqual(readDigest(fromHex("0102ff"), 1), { dice: [2], taken: [0], skipped: [] });
});

test("S1, S2: seeds have their commitments, and what is no seed is refused", async () => {
  const { seeds, refused } = load("seeds.json");
  for (const { seed, commitment } of seeds) {
    assert.ok(isSeed(seed));
    assert.equal(await commitmentOf(seed), commitment);
  }
  for (const { text, shows } of refused) assert.ok(!isSeed(text), shows);
});

test("G1, G2, G6: signatures over heads, key ids, keys of small order", async () => {
  const vectors = load("signatures.json");
  const verify = await headVerifier(vectors.public_key);
  assert.equal(await keyIdOf(vectors.public_key), vectors.key_id);
  for (const { match_id: matchId, seq, head, message, sig } of vectors.heads) {
    assert.equal(headMessage(matchId, seq, head), message);
    assert.ok(await verify(matchId, seq, head, sig));
    assert.ok(!(await verify(matchId, seq + 1, head, sig)));
  }
  for (const key of vectors.weak_keys) assert.ok(isWeak(key), key);
  for (const { public_key: key } of vectors.rfc_8032) assert.ok(!isWeak(key));
});

async function judge(vector) {
  try {
    const receipts = [];
    for (const each of vector.receipts) receipts.push(await readReceipts(bytesOf(each)));
    const given = { receipts, mySeed: vector.my_seed, key: vector.key };
    const report = await verifyLog(bytesOf(vector.log), given);
    const [first] = report.failures;
    return {
      verdict: report.verdict,
      why: report.why,
      exit_status: exitStatus(report.verdict),
      first: first ? { code: first.code, seq: first.seq, field: first.field } : null,
      failed_rolls: report.failedRolls,
      proof: report.proof,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { verdict: null, why: "", exit_status: 2, first: null, failed_rolls: [], proof: null };
  }
}

for (const vector of all("logs/")) {
  test(`log ${vector.name}: ${vector.shows}`, async () => {
    const { proof, ...said } = await judge(vector);
    assert.deepEqual(said, vector.expected);
    const contradicted = said.first?.code === "receipt-contradiction";
    assert.equal(proof !== null, contradicted, "a contradiction can be proved, and nothing else");
    if (proof) assert.equal(await checkProof(readProof(encodeProof(proof))), "");
  });
}

for (const { name, shows, proof, expected } of all("frauds/")) {
  test(`fraud ${name}: ${shows}`, async () => {
    const data = new TextEncoder().encode(proof);
    if (expected.exit_status === 2) {
      assert.throws(() => readProof(data), { code: expected.code });
    } else {
      assert.equal(await checkProof(readProof(data)), expected.code);
      assert.deepEqual(encodeProof(readProof(data)), data);
    }
  });
}
