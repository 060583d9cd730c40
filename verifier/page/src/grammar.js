// The fields of every line and the values they may have (PROTOCOL.md, L4, L5), and the reading of
// one line of any kind of file with the code of F2 for a line that is refused.
import { decode, wellFormed } from "./bytes.js";
import { isSeed } from "./dice.js";
import { parse, write } from "./json.js";

export const MAX_LINE = 4096;

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

/** The table of L: for each event its fields after `type`, in order, each with its test. */
export const EVENTS = new Map(
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

/** R3: a line of a receipt file that is no line of a log. */
export const ROLL_RECEIPT = new Map([
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

/** P3: the one object of a proof file. */
export const FRAUD_PROOF = new Map([
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

/** F2: how a field's name is shown. */
export function showName(field) {
  const shown = Array.from({ length: field.length }, (_, i) => {
    const code = field.charCodeAt(i);
    return code >= 0x20 && code < 0x7f ? field[i] : `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("");
  return shown.slice(0, 64);
}

const refuse = (code, field = "", found = "") => ({ code, field, found });

/** The first code of F2 that applies to the bytes before any field is looked at. */
function refuseBytes(bytes) {
  if (bytes.length > MAX_LINE) return refuse("line-too-long", "", String(bytes.length));
  if (bytes.length === 0) return refuse("line-blank");
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return refuse("line-bom");
  if (bytes.includes(0x0d)) return refuse("line-carriage-return");
  return null;
}

/**
 * One line, read by F2.
 * @param {Uint8Array} bytes without the line end
 * @param {Map} kinds EVENTS, or another table of the same form
 * @param {boolean} long whether it may be longer than a log's line
 * @returns {{event: object} | {code: string, field: string, found: string}} the event as a plain
 *   object (`options` a Map), or why it is refused
 */
export function decodeLine(bytes, kinds = EVENTS, long = false) {
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

/** A table's fields in their order; made once. */
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

/**
 * Most lines are as they must be, and the browser's own reader is fast. It forgets names that stand
 * twice, rounds numbers and knows no depth; but then what `write` makes of it is not the line, and
 * the line is read again slowly, for what is wrong with it.
 */
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
