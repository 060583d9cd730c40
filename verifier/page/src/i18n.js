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
