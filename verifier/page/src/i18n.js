// The page's two languages.
import { en } from "./words/en.js";
import { tr } from "./words/tr.js";

export const LANGUAGES = { tr, en };

/** The language named in the URL, else the browser's, else English. */
export function chooseLanguage(named, browser) {
  if (named in LANGUAGES) return named;
  const wanted = browser.map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find((tag) => tag in LANGUAGES) ?? "en";
}

/** A sentence with its {places} filled. */
export const fill = (sentence, given = {}) =>
  sentence.replace(/\{(\w+)\}/g, (_, name) => String(given[name] ?? ""));

/** A log's time for people, in their own time zone; a day that no calendar has stays as written. */
export function showTime(words, time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return new Intl.DateTimeFormat(words.locale, { dateStyle: "medium", timeStyle: "short" }).format(
    date,
  );
}

const TURNS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A player's label so that it cannot turn round the text beside it. */
export function showLabel(label) {
  const plain = label.replace(TURNS, "");
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** A roll in digits, as drawn, with its name as an ornament: "6-5 (şeşbeş)". */
export function rollName(words, [a, b]) {
  const name = words.names[`${Math.max(a, b)}${Math.min(a, b)}`];
  return name ? `${a}-${b} (${name})` : `${a}-${b}`;
}

/** The sentence for a failure's code, with what stands there. Lines and rolls are told from 1. */
export function sentence(words, { code, field = "", found = "", roll = 0, rule }) {
  const said = fill(words.codes[code], { field, found, roll: roll + 1 });
  return rule ? `${said} (${words.codes[rule]})` : said;
}
