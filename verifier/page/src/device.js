// What a game site embeds in its players' pages: it makes the player's seed, checks the opening
// receipt before the seed is opened (PROTOCOL.md, R1), keeps the receipts, and hands them to the
// verification page. It is a module of its own; the verification page does not need it.
import { encode, sha256, toHex } from "./bytes.js";
import { commitmentOf, isSeed } from "./dice.js";
import { decodeLine } from "./grammar.js";
import { openingHolds, readReceipts } from "./receipts.js";
import { headVerifier, keyIdOf } from "./signatures.js";

/** What is told to a player, in English and in Turkish. */
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

/**
 * Why a device does not open its seed, or does not keep what it was handed. `code` is stable, the
 * message is in English; `inWords` has it in Turkish too.
 */
export class DeviceError extends Error {
  constructor(code) {
    super(SAID[code][0]);
    this.code = code;
  }

  /** The sentence in "tr" or, for any other language, in English. */
  inWords(language) {
    return SAID[this.code][language === "tr" ? 1 : 0];
  }
}

const need = (holds, code) => {
  if (!holds) throw new DeviceError(code);
};

/** S1: a new seed, 64 hex digits. */
export function newSeed() {
  const seed = toHex(crypto.getRandomValues(new Uint8Array(32)));
  return isSeed(seed) ? seed : newSeed();
}

/**
 * A player's device in one match.
 *
 * `storage` is `localStorage` or anything with `getItem` and `setItem`; what is kept there outlives
 * the tab. `publicKey` is the service's, known beforehand, or null to take the one in the log.
 */
export class Device {
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

  /** S2: what is sent first. */
  commitment() {
    return commitmentOf(this.seed);
  }

  /**
   * R1: check the opening receipt, keep it, and only then give the seed to be sent.
   * @param {string} text the receipt as the service gave it
   * @returns {Promise<string>} the seed
   * @throws {DeviceError | InputError} and the seed must not be sent
   */
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

  /**
   * R2: check and keep a roll receipt.
   * @param {string} text the line, with its line end
   * @throws {DeviceError | InputError} where it is not one of this match's; also where it
   *   contradicts one kept before (`receipt-contradiction`), but then both are kept: they are proof
   */
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

  /** The receipt file (R3). */
  file() {
    return this.opening + this.rolls.join("");
  }

  /** The file's fingerprint, to tell two copies apart. */
  fileHash() {
    return sha256(encode(this.file()));
  }

  /**
   * Open the verification page and hand it the receipts, by a message and never in the address.
   * @param {string} url of the page, which says "zarf-ready" when it listens
   * @param {string} log the match log, or "" if the page fetches it itself
   */
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
