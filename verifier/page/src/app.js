// The page: input, language, and what is shown of it.
import { encode, sha256 } from "./bytes.js";
import { el } from "./dom.js";
import { checkProof, readProof } from "./fraud.js";
import { LANGUAGES, chooseLanguage, fill } from "./i18n.js";
import { InputError } from "./log.js";
import { readReceipts } from "./receipts.js";
import { notProved, reportView, verdictBox } from "./report_view.js";
import { keyIdOf } from "./signatures.js";
import { verifyLog } from "./verify.js";

const VERSION = "1.0";
const LONG = 300_000; // bytes: what takes long enough to say so first
const SERVED = /^(.*)\/verify\/([A-Za-z0-9._-]{1,64})$/.exec(location.pathname);
const served = SERVED !== null && location.protocol !== "file:";

const input = { log: null, receipt: null, seed: "" };
let language = "en";
let words = LANGUAGES.en;
let shown = null;

const hash = () => new URLSearchParams(location.hash.slice(1));
const root = document.getElementById("page");
const output = el("div", { id: "output" });
const fields = {};

function setLanguage(next) {
  language = next;
  // Dates and numbers as the user writes them, where the browser says so: "en-GB" has other dates.
  const locale = navigator.languages?.find((tag) => tag.startsWith(next)) ?? next;
  words = { ...LANGUAGES[next], locale };
  document.documentElement.lang = next;
  document.title = words.title;
  const now = hash();
  now.set("lang", next);
  history.replaceState(null, "", `#${now}`);
  draw();
  shown?.();
}

/** A file button with our own words: the browser's would be in the browser's language. */
function fileButton(name, text, take) {
  const chooser = el("input", {
    type: "file",
    id: name,
    class: "file",
    onchange: async () => {
      const [file] = chooser.files;
      if (file) await take(new Uint8Array(await file.arrayBuffer()));
      chooser.value = "";
    },
    onkeydown: (event) => {
      // Enter would submit the form.
      if (event.key !== "Enter") return;
      event.preventDefault();
      chooser.click();
    },
  });
  return [chooser, el("label", { for: name, class: "button" }, text)];
}

const area = (name, label, hint, oninput) =>
  el(
    "div",
    { class: "field" },
    el("label", { for: name }, label),
    (fields[name] = el("textarea", {
      id: name,
      rows: 2,
      spellcheck: "false",
      autocomplete: "off",
      "aria-describedby": hint ? `${name}-hint` : null,
      oninput,
    })),
    hint ? el("p", { class: "quiet", id: `${name}-hint` }, hint) : "",
  );

const textOf = (bytes) => new TextDecoder().decode(bytes);

function draw() {
  const kept = {
    log: fields.log?.value ?? "",
    receipt: fields.receipt?.value ?? "",
    seed: fields.seed?.value ?? input.seed,
  };
  const choices = Object.keys(LANGUAGES).map((each) =>
    el(
      "button",
      {
        type: "button",
        lang: each,
        "aria-pressed": String(each === language),
        onclick: () => setLanguage(each),
      },
      { tr: "Türkçe", en: "English" }[each],
    ),
  );
  const takeReceipt = async (bytes) => {
    input.receipt = bytes;
    fields.receipt.value = textOf(bytes);
    if (input.log) await run();
  };
  const takeLog = async (bytes) => {
    input.log = bytes;
    await run();
  };
  const pasted = () => {
    const text = fields.log.value;
    if (text.trim()) input.log = encode(text.endsWith("\n") ? text : `${text}\n`);
  };
  root.replaceChildren(
    el(
      "header",
      {},
      el("div", {}, el("h1", {}, words.title), el("p", {}, served ? words.leadServed : words.lead)),
      el("nav", { "aria-label": words.language, class: "buttons" }, choices),
    ),
    el(
      "main",
      {},
      el(
        "form",
        {
          class: "input",
          onsubmit: (event) => {
            event.preventDefault();
            run();
          },
        },
        el(
          "div",
          { class: "choose" },
          fileButton("log-file", words.chooseLog, takeLog),
          el("span", {}, words.dropHint),
        ),
        area("log", words.pasteLog, "", pasted),
        area("receipt", words.yourReceipt, words.receiptHint, () => {
          input.receipt = null;
        }),
        el(
          "div",
          { class: "choose" },
          fileButton("receipt-file", words.chooseReceipt, takeReceipt),
        ),
        el(
          "div",
          { class: "field" },
          el("label", { for: "seed" }, words.yourSeed),
          (fields.seed = el("input", {
            id: "seed",
            type: "text",
            spellcheck: "false",
            autocomplete: "off",
          })),
        ),
        el("button", { type: "submit", class: "main" }, words.verify),
      ),
      output,
    ),
    footer(),
  );
  fields.log.value = kept.log;
  fields.receipt.value = kept.receipt;
  fields.seed.value = kept.seed;
  if (!shown) output.replaceChildren(notProved(words));
}

function footer() {
  const code = el("code", {}, "…");
  const parts = ["script", "style"].map((name) => document.querySelector(name)?.textContent ?? "");
  if (globalThis.crypto?.subtle)
    sha256(encode(parts.join(""))).then((value) => {
      code.textContent = value;
    });
  return el(
    "footer",
    {},
    el("p", {}, fill(words.page, { version: VERSION }), " · ", words.codeHash, ": ", code),
    el("p", {}, words.fileHash),
    el("p", {}, words.seedsShown),
  );
}

/** Once the browser has painted; in a tab that is not seen it paints nothing, but time goes on. */
const painted = () =>
  new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 200);
  });

/** Show what `make` gives, the verdict first, and again after a change of language. */
async function present(make) {
  const place = () => {
    const made = make();
    output.replaceChildren(made.element);
    return made;
  };
  const { element, verdict, rest } = place();
  const again = () => place().rest?.();
  shown = again;
  verdict.focus({ preventScroll: true });
  verdict.scrollIntoView({ block: "start" });
  if (!rest) return output.removeAttribute("aria-busy");
  output.setAttribute("aria-busy", "true");
  await painted();
  if (output.firstChild === element) rest();
  if (shown === again) output.removeAttribute("aria-busy");
}

function say(id, tone, given = {}) {
  present(() => {
    const [title, text] = words.states[id].map((each) =>
      fill(each, { ...given, reason: given.code ? words.codes[given.code] : "" }),
    );
    const verdict = verdictBox(tone, title, text);
    return { element: el("div", {}, verdict, notProved(words)), verdict };
  });
}

/** R4: the receipt's match is not the log's. */
function sayOtherMatch(found) {
  const [first] = textOf(input.log).split("\n", 1);
  say("other-match", "amber", { found, matchId: /"match_id":"([^"]*)"/.exec(first)?.[1] ?? "–" });
}

async function sayProof(data) {
  const proof = readProof(data);
  const lacks = await checkProof(proof);
  const keyId = (await keyIdOf(proof.public_key)).slice(0, 8);
  if (lacks) say("proof-lacks", "amber", { code: lacks });
  else say("proof-holds", "red", { matchId: proof.match_id, keyId });
}

const receiptBytes = () => {
  if (input.receipt) return input.receipt;
  const text = fields.receipt.value.trim();
  return text ? encode(`${text}\n`) : null;
};

async function run() {
  if (!globalThis.crypto?.subtle) return say("no-crypto", "amber");
  if (!input.log) return fields.log.focus();
  output.replaceChildren(el("p", { role: "status" }, words.working));
  if (input.log.length > LONG) await painted();
  let reading = "unreadable";
  try {
    if (textOf(input.log.subarray(0, 21)) === '{"type":"fraud_proof"')
      return await sayProof(input.log);
    const receipt = receiptBytes();
    const receipts = [];
    reading = "bad-input";
    if (receipt) receipts.push(await readReceipts(receipt));
    const mySeed = fields.seed.value.trim() || null;
    const report = await verifyLog(input.log, { receipts, mySeed });
    const link = served ? `${location.origin}${location.pathname}` : null;
    const chooseReceipt = () => document.getElementById("receipt-file").click();
    return present(() => reportView(report, { log: input.log, link, chooseReceipt }, words));
  } catch (error) {
    if (error instanceof InputError) {
      if (error.code === "receipt-other-match") return sayOtherMatch(error.found);
      const own = error.code.startsWith("log-") || error.code.startsWith("proof-");
      return say(own ? "unreadable" : reading, "amber", { code: error.code });
    }
    if (error.name === "NotSupportedError") return say("no-crypto", "amber");
    throw error;
  }
}

/** Opened at /verify/{match_id}: the log, from the page's own origin and nowhere else. */
async function fetchLog() {
  output.replaceChildren(el("p", { role: "status" }, words.fetching));
  try {
    const answer = await fetch(`${SERVED[1]}/v1/matches/${SERVED[2]}/log`, { credentials: "omit" });
    if (!answer.ok) throw new Error(String(answer.status));
    input.log = new Uint8Array(await answer.arrayBuffer());
  } catch {
    return say("fetch-failed", "amber");
  }
  return run();
}

/** A game site hands over what its player's device kept (device.js). */
function takeHandedOver({ data }) {
  if (data?.zarf !== 1) return;
  if (typeof data.log === "string" && data.log && !served) input.log = encode(data.log);
  if (typeof data.receipt === "string" && data.receipt) fields.receipt.value = data.receipt;
  if (typeof data.seed === "string") fields.seed.value = data.seed;
  if (input.log) run();
}

function listen() {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (!file) return;
    input.log = new Uint8Array(await file.arrayBuffer());
    await run();
  });
  window.addEventListener("message", takeHandedOver);
  for (const name of ["beforeprint", "afterprint"]) {
    window.addEventListener(name, () =>
      document.querySelector(".moves")?.dispatchEvent(new Event(name)),
    );
  }
  window.addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
}

listen();
setLanguage(chooseLanguage(hash().get("lang"), navigator.languages ?? []));
if (!globalThis.crypto?.subtle) say("no-crypto", "amber");
else if (served) fetchLog();
window.opener?.postMessage("zarf-ready", "*");
