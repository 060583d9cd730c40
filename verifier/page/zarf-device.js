const $bytes = (() => {

const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const encode = (text) => utf8.encode(text);

const wellFormed = (text) => !/\p{Surrogate}/u.test(text);

function decode(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function toHex(bytes) {
  let text = "";
  for (const byte of new Uint8Array(bytes)) text += HEX[byte];
  return text;
}

const fromHex = (hex) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));

const sha256 = async (bytes) => toHex(await crypto.subtle.digest("SHA-256", bytes));

const hmacKey = (bytes) =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

const hmac = (key, bytes) => crypto.subtle.sign("HMAC", key, bytes);

const sameBytes = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
return { encode, wellFormed, decode, toHex, fromHex, sha256, hmacKey, hmac, sameBytes };
})();
const $dice = (() => {
const { encode, fromHex, hmac, hmacKey, sha256 } = $bytes;

const isSeed = (text) =>
  typeof text === "string" &&
  text.length === 64 &&
  /^[0-9a-f]+$/.test(text) &&
  text !== text.slice(0, 2).repeat(32);

const commitmentOf = (seed) => sha256(fromHex(seed));

const rollMessage = (matchId, seeds, index, block) =>
  `zarf/1:roll:${matchId}:${seeds[0]}:${seeds[1]}:${index}:${block}`;

function readDigest(digest, need) {
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

async function rollAll(key, matchId, seeds, indexes, digestOf = hmac) {
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

function workingsOf(matchId, seeds, { index, digests }) {
  let need = 2;
  return digests.map((digest, block) => {
    const read = readDigest(digest, need);
    need -= read.dice.length;
    return { message: rollMessage(matchId, seeds, index, block), digest, ...read };
  });
}

const secretKey = (seed) => hmacKey(fromHex(seed));
return { isSeed, commitmentOf, rollMessage, readDigest, rollAll, workingsOf, secretKey };
})();
const $json = (() => {

const DEPTH = 16;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
];

class JsonError extends Error {}

function parse(text) {
  let at = 0;
  let duplicate = null;

  const fail = () => {
    throw new JsonError(`not JSON at character ${at}`);
  };
  const blank = () => {
    while (at < text.length && " \t\n\r".includes(text[at])) at++;
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) fail();
    at += found.length;
    return found;
  };

  const string = () => {
    let read = "";
    for (at++; ;) {
      read += match(PLAIN);
      const end = text[at++];
      if (end === '"') return read;
      if (end !== "\\") fail();
      const escape = text[at++];
      if (escape === "u") {
        const hex = text.slice(at, at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail();
        read += String.fromCharCode(parseInt(hex, 16));
        at += 4;
      } else if (escape !== undefined && Object.hasOwn(ESCAPES, escape)) {
        read += ESCAPES[escape];
      } else fail();
    }
  };

  const items = (close, depth, item) => {
    if (depth > DEPTH) fail();
    at++;
    blank();
    if (text[at] === close) {
      at++;
      return;
    }
    for (;;) {
      item();
      blank();
      const next = text[at++];
      if (next === close) return;
      if (next !== ",") fail();
      blank();
    }
  };

  const value = (path, depth) => {
    if (text[at] === "{") {
      const object = new Map();
      items("}", depth + 1, () => {
        if (text[at] !== '"') fail();
        const name = string();
        if (object.has(name)) duplicate ??= [...path, name];
        blank();
        if (text[at++] !== ":") fail();
        blank();
        object.set(name, value([...path, name], depth + 1));
      });
      return object;
    }
    if (text[at] === "[") {
      const array = [];
      items("]", depth + 1, () => array.push(value(path, depth + 1)));
      return array;
    }
    if (text[at] === '"') return string();
    for (const [word, meaning] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    return Number(match(NUMBER));
  };

  blank();
  const read = value([], 0);
  blank();
  if (at < text.length) fail();
  return { value: read, duplicate };
}

function write(value) {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const pairs = value instanceof Map ? [...value] : Object.entries(value);
    return `{${pairs.map(([name, inner]) => `${write(name)}:${write(inner)}`).join(",")}}`;
  }
  return typeof value === "number" ? String(value + 0) : String(value);
}
return { JsonError, parse, write };
})();
const $grammar = (() => {
const { decode, wellFormed } = $bytes;
const { isSeed } = $dice;
const { parse, write } = $json;

const MAX_LINE = 4096;

const integer = (low, high) => (v) => Number.isInteger(v) && v >= low && v <= high;
const oneOf =
  (...values) =>
  (v) =>
    values.includes(v);
const text = (pattern) => (v) => typeof v === "string" && pattern.test(v);
const orNull = (test) => (v) => v === null || test(v);
const list = (length, test) => (v) => Array.isArray(v) && v.length === length && v.every(test);
const hex = (digits) => text(new RegExp(`^[0-9a-f]{${digits}}$`));

const count = integer(0, Number.MAX_SAFE_INTEGER);
const name = text(/^[a-z0-9_-]{1,32}$/);
const player = oneOf(0, 1);
const score = list(2, count);
const time = text(
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}\.[0-9]{3}Z$/,
);
const matchId = text(/^[A-Za-z0-9._-]{1,64}$/);

function label(v) {
  if (typeof v !== "string" || !wellFormed(v) || v !== v.normalize("NFC")) return false;
  const length = [...v].length;
  return length >= 1 && length <= 64 && !/[\u0000-\u001f\u007f-\u009f]/.test(v);
}

function options(v) {
  const small = integer(0, 999);
  return (
    v instanceof Map &&
    [...v].every(([key, inner]) => name(key) && (typeof inner === "boolean" || small(inner)))
  );
}

const linked = (fields) => ({ prev: hex(64), time, ...fields });

const EVENTS = new Map(
  Object.entries({
    match: {
      time,
      protocol: oneOf("zarf/1"),
      match_id: matchId,
      seeding: oneOf("committed", "direct", "chained"),
      rules: orNull(name),
      length: orNull(integer(1, 999)),
      options,
      players: list(2, label),
      commitment: hex(64),
      public_key: hex(64),
      key_id: hex(16),
    },
    seed_commitment: linked({ player, commitment: hex(64) }),
    seed: linked({ player, seed: isSeed }),
    roll: linked({
      index: count,
      purpose: oneOf("opening", "turn"),
      player: orNull(player),
      dice: list(2, integer(1, 6)),
      links: list(3, hex(64)),
    }),
    play: linked({ player, moves: text(/^[0-9a-z/*() ]{0,120}$/), auto: oneOf(true, false) }),
    pass_unrolled: linked({ player }),
    double: linked({ player }),
    take: linked({ player }),
    drop: linked({ player }),
    resign_offer: linked({ player, value: integer(1, 3) }),
    resign_accept: linked({ player }),
    resign_refuse: linked({ player }),
    game_end: linked({
      winner: player,
      points: count,
      kind: oneOf("single", "gammon", "backgammon", "drop", "resign", "forfeit"),
      score,
    }),
    match_end: linked({
      winner: orNull(player),
      reason: oneOf("score", "resign", "timeout", "disconnect", "abandon", "abort", "finished"),
      score: orNull(score),
    }),
    reveal: linked({ server_seed: isSeed }),
    signature: linked({ seq: count, head: hex(64), key_id: hex(16), sig: hex(128) }),
  }),
);
const OPTIONAL = new Set(["links"]);

const ROLL_RECEIPT = new Map([
  [
    "roll_receipt",
    {
      match_id: matchId,
      key_id: hex(16),
      seq: count,
      head: hex(64),
      sig: hex(128),
      line: (v) => typeof v === "string",
    },
  ],
]);

const statement = (v) =>
  v instanceof Map &&
  [...v.keys()].join() === "first,seq,lines,sig" &&
  count(v.get("first")) &&
  count(v.get("seq")) &&
  hex(128)(v.get("sig")) &&
  Array.isArray(v.get("lines")) &&
  v.get("lines").every((line) => typeof line === "string");

const FRAUD_PROOF = new Map([
  [
    "fraud_proof",
    {
      protocol: oneOf("zarf/1"),
      match_id: matchId,
      public_key: hex(64),
      statements: list(2, statement),
    },
  ],
]);

function showName(field) {
  const shown = Array.from({ length: field.length }, (_, i) => {
    const code = field.charCodeAt(i);
    return code >= 0x20 && code < 0x7f ? field[i] : `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("");
  return shown.slice(0, 64);
}

const refuse = (code, field = "", found = "") => ({ code, field, found });

function refuseBytes(bytes) {
  if (bytes.length > MAX_LINE) return refuse("line-too-long", "", String(bytes.length));
  if (bytes.length === 0) return refuse("line-blank");
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return refuse("line-bom");
  if (bytes.includes(0x0d)) return refuse("line-carriage-return");
  return null;
}

function decodeLine(bytes, kinds = EVENTS, long = false) {
  const bad = refuseBytes(bytes);
  if (bad && !(long && bad.code === "line-too-long")) return bad;
  const line = decode(bytes);
  if (line === null) return refuse("line-not-utf8");
  const good = decodeGood(line, kinds);
  if (good) return { event: good };
  let read;
  try {
    read = parse(line);
  } catch {
    return refuse("line-not-json");
  }
  const { value: fields, duplicate } = read;
  if (!(fields instanceof Map)) return refuse("line-not-object");
  if (duplicate) return refuse("field-duplicate", duplicate.map(showName).join("."));
  const type = fields.get("type");
  const table = kinds.get(type);
  if (!table)
    return refuse("event-unknown", "type", typeof type === "string" ? showName(type) : "");
  if (fields.has("protocol") && "protocol" in table && fields.get("protocol") !== "zarf/1") {
    const named = fields.get("protocol");
    return refuse("protocol-unknown", "protocol", typeof named === "string" ? showName(named) : "");
  }
  return refuseFields(fields, table) ?? canonical(fields, line);
}

const KNOWN = new Map();

function knownFields(table) {
  if (!KNOWN.has(table)) KNOWN.set(table, ["type", ...Object.keys(table)]);
  return KNOWN.get(table);
}

function refuseFields(fields, table) {
  const given = [...fields.keys()];
  const known = knownFields(table);
  const extra = given.find((field) => !known.includes(field));
  if (extra !== undefined) return refuse("field-unknown", showName(extra));
  const missing = known.find((field) => !fields.has(field) && !OPTIONAL.has(field));
  if (missing) return refuse("field-missing", missing);
  const wrong = known.find(
    (field) => field !== "type" && fields.has(field) && !table[field](fields.get(field)),
  );
  if (wrong) return refuse("field-value", wrong);
  const due = known.filter((field) => fields.has(field));
  const misplaced = given.find((field, i) => field !== due[i]);
  return misplaced ? refuse("field-order", misplaced) : null;
}

function canonical(fields, line) {
  const event = Object.fromEntries(fields);
  if (event.options)
    event.options = new Map([...event.options].sort(([a], [b]) => (a < b ? -1 : 1)));
  return write(event) === line ? { event } : refuse("line-not-canonical");
}

const toMaps = (value) => {
  if (Array.isArray(value)) return value.map(toMaps);
  if (value === null || typeof value !== "object") return value;
  return new Map(Object.entries(value).map(([name, inner]) => [name, toMaps(inner)]));
};

function decodeGood(line, kinds) {
  try {
    const fields = toMaps(JSON.parse(line));
    const table = kinds.get(fields.get("type"));
    if (refuseFields(fields, table)) return null;
    const { event } = canonical(fields, line);
    return event ?? null;
  } catch {
    return null;
  }
}
return { MAX_LINE, EVENTS, ROLL_RECEIPT, FRAUD_PROOF, showName, decodeLine };
})();
const $log = (() => {
const { sha256 } = $bytes;
const { decodeLine } = $grammar;

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINES = 2 ** 19;

class InputError extends Error {
  constructor(code, found = "") {
    super(code);
    Object.assign(this, { code, found });
  }
}

function splitLines(data) {
  const lines = [];
  let start = 0;
  for (let end; (end = data.indexOf(0x0a, start)) >= 0; start = end + 1) {
    lines.push(data.subarray(start, end));
    if (lines.length > MAX_LINES) throw new InputError("log-too-large");
  }
  return { lines, rest: data.length - start };
}

async function readLog(data) {
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
return { MAX_BYTES, MAX_LINES, InputError, splitLines, readLog };
})();
const $receipts = (() => {
const { encode, sha256 } = $bytes;
const { ROLL_RECEIPT, decodeLine } = $grammar;
const { InputError, splitLines } = $log;

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

async function readReceipts(data) {
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

async function openingHolds(opening, keyId, verifyHead) {
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
return { readReceipts, openingHolds };
})();
const $signatures = (() => {
const { encode, fromHex, sha256 } = $bytes;

const SMALL_ORDER = new Set([
  "00".repeat(32),
  "01" + "00".repeat(31),
  "ec" + "ff".repeat(30) + "7f",
  "ed" + "ff".repeat(30) + "7f",
  "ee" + "ff".repeat(30) + "7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

function isWeak(publicKey) {
  const last = parseInt(publicKey.slice(62), 16) & 0x7f;
  return SMALL_ORDER.has(publicKey.slice(0, 62) + last.toString(16).padStart(2, "0"));
}

const keyIdOf = async (publicKey) => (await sha256(fromHex(publicKey))).slice(0, 16);

const headMessage = (matchId, seq, head) => `zarf/1:head:${matchId}:${seq}:${head}`;

async function headVerifier(publicKey) {
  let key = null;
  if (!isWeak(publicKey)) {
    try {
      key = await crypto.subtle.importKey("raw", fromHex(publicKey), "Ed25519", false, ["verify"]);
    } catch (error) {
      if (error.name === "NotSupportedError") throw error;
    }
  }
  return async (matchId, seq, head, sig) =>
    key !== null &&
    crypto.subtle.verify("Ed25519", key, fromHex(sig), encode(headMessage(matchId, seq, head)));
}
return { isWeak, keyIdOf, headMessage, headVerifier };
})();
const $device = (() => {
const { encode, sha256, toHex } = $bytes;
const { commitmentOf, isSeed } = $dice;
const { decodeLine } = $grammar;
const { openingHolds, readReceipts } = $receipts;
const { headVerifier, keyIdOf } = $signatures;

const SAID = {
  "opening-changed": [
    "The server has given two different opening receipts. Do not play on.",
    "Sunucu iki farklı açılış fişi vermiş. Oynamayı bırak.",
  ],
  "opening-missing": [
    "Your device holds no opening receipt yet.",
    "Cihazında henüz açılış fişi yok.",
  ],
  "opening-other-match": ["The receipt is of another match.", "Fiş başka bir maça ait."],
  "opening-not-committed": [
    "In this match the seeds would not be sealed beforehand. Your seed was not opened.",
    "Bu maçta tohumlar önceden kilitlenmeyecekti. Tohumun açılmadı.",
  ],
  "opening-other-key": [
    "The receipt is not signed with the server’s known key. Your seed was not opened.",
    "Fiş, sunucunun bilinen anahtarıyla imzalanmamış. Tohumun açılmadı.",
  ],
  "opening-invalid": [
    "The receipt’s signature is not valid. Your seed was not opened.",
    "Fişin imzası geçersiz. Tohumun açılmadı.",
  ],
  "opening-not-my-commitment": [
    "The receipt names another fingerprint than your device’s. Someone else may have used your token for this match. Your seed was not opened; do not play.",
    "Fişte, cihazınınki yerine başka bir parmak izi var. Bu maç için sana verilen jetonu başkası kullanmış olabilir. Tohumun açılmadı; oynama.",
  ],
  "opening-commitments-equal": [
    "Two sides gave the same fingerprint: one copied the other’s. Your seed was not opened.",
    "İki taraf aynı parmak izini vermiş: biri ötekininkini kopyalamış. Tohumun açılmadı.",
  ],
  "receipt-other-match": ["The receipt is of another match.", "Fiş başka bir maça ait."],
  "receipt-invalid": ["The receipt’s signature is not valid.", "Fişin imzası geçersiz."],
  "receipt-contradiction": [
    "The server has signed two different things for one line of the log. Both are kept; do not play on.",
    "Sunucu, kaydın aynı satırı için iki farklı şey imzalamış. İkisi de saklandı; oynamayı bırak.",
  ],
};

class DeviceError extends Error {
  constructor(code) {
    super(SAID[code][0]);
    this.code = code;
  }

  inWords(language) {
    return SAID[this.code][language === "tr" ? 1 : 0];
  }
}

const need = (holds, code) => {
  if (!holds) throw new DeviceError(code);
};

function newSeed() {
  const seed = toHex(crypto.getRandomValues(new Uint8Array(32)));
  return isSeed(seed) ? seed : newSeed();
}

class Device {
  constructor(matchId, player, { publicKey = null, storage = localStorage } = {}) {
    Object.assign(this, { matchId, player, publicKey, storage });
    this.name = `zarf:${matchId}:${player}`;
    const kept = storage.getItem(this.name);
    Object.assign(this, kept ? JSON.parse(kept) : { seed: newSeed(), opening: "", rolls: [] });
    this.#keep();
  }

  #keep() {
    const { seed, opening, rolls } = this;
    this.storage.setItem(this.name, JSON.stringify({ seed, opening, rolls }));
  }

  commitment() {
    return commitmentOf(this.seed);
  }

  async open(text) {
    need(this.opening === "" || this.opening === text, "opening-changed");
    const { opening } = await readReceipts(encode(text));
    need(opening, "opening-missing");
    const [{ event: match }] = opening;
    need(match.match_id === this.matchId, "opening-other-match");
    need(match.seeding === "committed", "opening-not-committed");
    need(this.publicKey === null || match.public_key === this.publicKey, "opening-other-key");
    const verifyHead = await headVerifier(match.public_key);
    const keyId = await keyIdOf(match.public_key);
    need(await openingHolds(opening, keyId, verifyHead), "opening-invalid");
    const commitments = new Map(
      opening.slice(2, 4).map(({ event }) => [event.player, event.commitment]),
    );
    need(commitments.get(this.player) === (await this.commitment()), "opening-not-my-commitment");
    const all = new Set([match.commitment, ...commitments.values()]);
    need(all.size === 3 && commitments.size === 2, "opening-commitments-equal");
    this.opening = text;
    this.#keep();
    return this.seed;
  }

  async keepRoll(text) {
    need(this.opening !== "", "opening-missing");
    const { event: match } = decodeLine(encode(this.opening.slice(0, this.opening.indexOf("\n"))));
    const { rolls } = await readReceipts(encode(text));
    const verifyHead = await headVerifier(match.public_key);
    for (const { match_id: matchId, seq, head, sig } of rolls) {
      need(matchId === this.matchId, "receipt-other-match");
      need(await verifyHead(matchId, seq, head, sig), "receipt-invalid");
    }
    if (this.rolls.includes(text)) return;
    const kept = this.rolls
      .join("")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    this.rolls.push(text);
    this.#keep();
    const contradicted = rolls.some(({ seq, head }) =>
      kept.some((other) => other.seq === seq && other.head !== head),
    );
    need(!contradicted, "receipt-contradiction");
  }

  file() {
    return this.opening + this.rolls.join("");
  }

  fileHash() {
    return sha256(encode(this.file()));
  }

  handOver(url, log = "") {
    const page = window.open(url);
    const tell = ({ source, data }) => {
      if (source !== page || data !== "zarf-ready") return;
      page.postMessage(
        { zarf: 1, receipt: this.file(), seed: this.seed, log },
        new URL(url).origin,
      );
      window.removeEventListener("message", tell);
    };
    window.addEventListener("message", tell);
    return page;
  }
}
return { DeviceError, newSeed, Device };
})();
export const { DeviceError, newSeed, Device } = $device;
