// A device opens its seed only after an opening receipt that holds and names its own commitment.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { encode, sha256 } from "../../../verifier/page/src/bytes.js";
import { isSeed } from "../../../verifier/page/src/dice.js";
import { Device, newSeed } from "../../../verifier/page/src/device.js";
import { readReceipts } from "../../../verifier/page/src/receipts.js";

const vector = JSON.parse(
  readFileSync(
    new URL(
      "../../vectors/logs/committed_verified_by_all_that_a_player_keeps.json",
      import.meta.url,
    ),
    "utf-8",
  ),
);
const lines = vector.receipts[0].text.split(/(?<=\n)/);
const opening = lines.slice(0, 5).join("");

/** The device of player 1 of that match: its seed is the one in the vector. */
function device(given = {}) {
  const kept = new Map();
  const storage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
  };
  const { matchId = "test-match-1", player = 1, seed = vector.my_seed, publicKey = null } = given;
  const state = { seed, opening: "", rolls: [] };
  storage.setItem(`zarf:${matchId}:${player}`, JSON.stringify(state));
  return { made: new Device(matchId, player, { storage, publicKey }), storage };
}

test("a seed is new every time, and a seed", () => {
  const seeds = [newSeed(), newSeed()];
  assert.ok(seeds.every(isSeed));
  assert.notEqual(seeds[0], seeds[1]);
});

test("R1: the seed is given after a good opening receipt, and both are kept", async () => {
  const { made, storage } = device();
  assert.equal(await made.open(opening), vector.my_seed);
  for (const line of lines.slice(5).filter(Boolean)) await made.keepRoll(line);
  const again = new Device("test-match-1", 1, { storage });
  assert.equal(again.file(), vector.receipts[0].text);
  assert.equal((await readReceipts(new TextEncoder().encode(again.file()))).rolls.length, 3);
});

test("R1: nothing is opened on a receipt that does not hold", async () => {
  const refuses = (text, code, given) => assert.rejects(device(given).made.open(text), { code });
  await refuses(opening, "opening-not-my-commitment", { player: 0 });
  await refuses(opening, "opening-not-my-commitment", { seed: "0123".repeat(16) });
  await refuses(opening, "opening-other-match", { matchId: "another" });
  await refuses(opening, "opening-other-key", { publicKey: "ab".repeat(32) });
  await refuses(lines.slice(0, 2).join(""), "receipt-not-an-opening");
  const sig = opening.lastIndexOf('"sig":"') + 7;
  const forged =
    opening.slice(0, sig) + (opening[sig] === "0" ? "1" : "0") + opening.slice(sig + 1);
  await refuses(forged, "opening-invalid");
  const { made } = device();
  await made.open(opening);
  await assert.rejects(made.open(`${opening} `), { code: "opening-changed" });
});

test("R2: a roll receipt of another match, or with a false signature, is not kept", async () => {
  const { made } = device();
  await assert.rejects(made.keepRoll(lines[5]), { code: "opening-missing" });
  await made.open(opening);
  const { sig } = JSON.parse(lines[5]);
  await assert.rejects(made.keepRoll(lines[5].replace(sig, "0".repeat(128))), {
    code: "receipt-invalid",
  });
  await assert.rejects(made.keepRoll(lines[5].replace("test-match-1", "x")), {
    code: "receipt-other-match",
  });
  assert.equal(made.file(), opening);
});

test("R2: of two receipts for one line both are kept, and the player is told", async () => {
  const { made } = device();
  await made.open(opening);
  const url = new URL("../../vectors/frauds/two_rolls.json", import.meta.url);
  const proof = JSON.parse(JSON.parse(readFileSync(url, "utf-8")).proof);
  const texts = await Promise.all(
    proof.statements.map(async ({ seq, sig, lines: [line] }) => {
      const { key_id } = JSON.parse(lines[5]);
      const { match_id } = proof;
      const head = await sha256(encode(line));
      return (
        JSON.stringify({ type: "roll_receipt", match_id, key_id, seq, head, sig, line }) + "\n"
      );
    }),
  );
  await made.keepRoll(lines[5]);
  await made.keepRoll(texts[0]);
  await made.keepRoll(texts[0]);
  await assert.rejects(made.keepRoll(texts[1]), { code: "receipt-contradiction" });
  assert.equal(made.file(), opening + lines[5] + texts.join(""));
});

test("a token that someone else used is told in plain words, in both languages", async () => {
  const error = await device({ player: 0 })
    .made.open(opening)
    .catch((thrown) => thrown);
  assert.match(error.message, /Someone else may have used your token/);
  assert.equal(error.inWords("en"), error.message);
  assert.match(error.inWords("tr"), /jetonu başkası kullanmış olabilir. Tohumun açılmadı/);
});
