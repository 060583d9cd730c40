// Both languages have a sentence for every code that the protocol and the page's own code name.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import {
  LANGUAGES,
  chooseLanguage,
  fill,
  rollName,
  sentence,
  showLabel,
  showTime,
} from "../../../verifier/page/src/i18n.js";

const PAGE = new URL("../../../verifier/page/src/", import.meta.url);
const sources = readdirSync(PAGE, { recursive: true })
  .filter((name) => name.endsWith(".js") && !name.startsWith("words"))
  .map((name) => readFileSync(new URL(name, PAGE), "utf-8"))
  .join("\n");
const { tr, en } = LANGUAGES;

const protocol = readFileSync(new URL("../../../verifier/PROTOCOL.md", import.meta.url), "utf-8");
const section = (letter) => protocol.split(/^## /m).find((part) => part.startsWith(`${letter}. `));
const named = ["R", "P", "F"].flatMap((letter) =>
  [...section(letter).matchAll(/`([a-z]+(?:-[a-z0-9]+)+)`/g)].map(([, code]) => code),
);
const own = [...sources.matchAll(/"((?:rule|receipt|proof|log|my-seed|key)(?:-[a-z]+)+)"/g)]
  .map(([, code]) => code)
  .filter((code) => !(code in tr.states) && !["log-file", "receipt-file"].includes(code));

test("every code of PROTOCOL.md and of the sources has its sentence", () => {
  const codes = new Set([...named, ...own].filter((code) => code !== "plays-only"));
  assert.ok(
    codes.has("field-duplicate") && codes.has("rule-cube-limit") && codes.has("proof-chain-broken"),
  );
  for (const words of [tr, en]) for (const code of codes) assert.ok(words.codes[code], code);
});

test("the two languages have the same keys, and their sentences the same places to fill", () => {
  const walk = (a, b, path) => {
    if (path === ".names") return;
    assert.equal(typeof a, typeof b, path);
    if (typeof a === "string") {
      const places = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
      assert.deepEqual(places(a), places(b), path);
      return;
    }
    assert.deepEqual(Object.keys(a), Object.keys(b), path);
    for (const key of Object.keys(a)) walk(a[key], b[key], `${path}.${key}`);
  };
  walk(tr, en, "");
});

test("every word that the sources use is there", () => {
  for (const [, key] of sources.matchAll(/\bwords\.(\w+)/g)) assert.ok(key in tr, key);
  for (const [, key] of sources.matchAll(/words\.codes\["([\w-]+)"\]/g))
    assert.ok(tr.codes[key], key);
});

test("every state that the page can be in has a title and a text", () => {
  const states = [
    ...sources.matchAll(
      /\["([a-z-]+)", "(?:red|amber|green)"|say\("([a-z-]+)"|id: "([a-z-]+)", tone/g,
    ),
  ].map((found) => found[1] ?? found[2] ?? found[3]);
  for (const why of [
    "cut-short",
    "not-ended",
    "not-revealed",
    "not-signed",
    "dice-many",
    "two-commitments",
    "verified",
    "verified-seed",
    "plays-unchecked",
  ])
    states.push(why);
  assert.ok(
    states.includes("no-crypto") && states.includes("plays") && states.includes("verified-seed"),
  );
  for (const words of [tr, en])
    for (const id of states) assert.equal(words.states[id]?.length, 2, id);
});

test("Turkish keeps to one form of address", () => {
  const all = JSON.stringify(tr);
  assert.ok(!/\b(?:siz|sizin|size|sizi)\b|(?:ınız|iniz|unuz|ünüz)\b/i.test(all));
  assert.ok(!/kırık zar|bozuk zar/i.test(all));
});

test("21 rolls have a name, in the order drawn, beside their digits", () => {
  assert.equal(Object.keys(tr.names).length, 21);
  assert.equal(rollName(tr, [5, 6]), "5-6 (şeşbeş)");
  assert.equal(rollName(tr, [1, 1]), "1-1 (hepyek)");
  assert.equal(rollName(en, [6, 5]), "6-5");
});

test("the language is the URL's, else the browser's first that is known, else English", () => {
  assert.equal(chooseLanguage("tr", ["en-GB"]), "tr");
  assert.equal(chooseLanguage("xx", ["de-DE", "tr-TR", "en"]), "tr");
  assert.equal(chooseLanguage(null, ["de-DE"]), "en");
});

test("a failure's sentence counts from 1, as people do", () => {
  assert.equal(sentence(en, { code: "dice-mismatch", roll: 16 }), "Roll 17 does not fit.");
  assert.equal(fill("{a}{b}", { a: 1 }), "1");
});

test("L5: a day that no calendar has is shown as written, not computed with", () => {
  assert.equal(showTime(tr, "2026-99-99T00:00:00.000Z"), "2026-99-99T00:00:00.000Z");
  assert.match(showTime(tr, "2026-11-30T12:00:00.000Z"), /30 Kas 2026/);
});

test("a label cannot turn the text beside it round", () => {
  assert.equal(showLabel("a\u202eb\u2069"), "ab");
  assert.equal(showLabel("\u05d0"), "\u2068\u05d0\u2069");
  assert.equal(showLabel("Ayşe"), "Ayşe");
});
