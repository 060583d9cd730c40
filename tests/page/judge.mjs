// Judges logs for the differential test: a JSON object a line in, a JSON object a line out.
// in: {log, receipts, my_seed, key}, the bytes in base64; out: {verdict, why, failed_rolls, failures, proof}
import { createInterface } from "node:readline";

import { InputError } from "../../verifier/page/src/log.js";
import { readReceipts } from "../../verifier/page/src/receipts.js";
import { verifyLog } from "../../verifier/page/src/verify.js";

const bytesOf = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

async function judge({ log, receipts, my_seed: mySeed, key = null }) {
  try {
    const read = [];
    for (const each of receipts) read.push(await readReceipts(bytesOf(each)));
    const report = await verifyLog(bytesOf(log), { receipts: read, mySeed, key });
    return {
      verdict: report.verdict,
      why: report.why,
      failed_rolls: report.failedRolls,
      failures: report.failures.map(({ code, seq, field }) => [code, seq, field]),
      proof: report.proof !== null,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { verdict: null, why: "", failed_rolls: [], failures: [], proof: false };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await judge(JSON.parse(line))));
}
