/*
 * Fuzzes one parser for a time, in a process of its own: `bun test/fuzz/worker.ts TARGET SEED SECONDS FILE`. Each input is
 * in FILE before it is tried, so that it is known if the process hangs or dies. Prints a line of JSON per finding and,
 * finally, the counts.
 */
import { writeFileSync } from "node:fs";
import { attempt } from "./attempt.ts";
import { corpusOf, keep, save } from "./corpus.ts";
import { mutated } from "./mutate.ts";
import { scalingFault } from "./scaling.ts";
import { endTargets, TARGETS } from "./targets/targets.ts";

const [name, seedText, secondsText, file] = process.argv.slice(2);
const target = TARGETS.find((one) => one.name === name)!;
const SCALED_EVERY = 500;

const kept = corpusOf(target.name);
const known = new Set<string>();
const found = new Set<string>();
const report = (finding: string, input: Buffer, seed: number) => {
  const path = save(target.name, input);
  if (found.has(finding.slice(0, 80))) return;
  found.add(finding.slice(0, 80));
  console.log(JSON.stringify({ target: target.name, seed, path, finding: finding.slice(0, 2_000) }));
};

async function tryOne(input: Buffer, seed: number): Promise<void> {
  writeFileSync(file!, input);
  const { outcome, finding } = await attempt(target, input);
  if (finding !== undefined) report(finding, input, seed);
  else if (!known.has(outcome) && seed >= 0 && keep(target.name, input)) kept.push(input);
  known.add(outcome);
}

for (const input of [...target.seeds, ...kept]) await tryOne(input, -1);
const endAt = performance.now() + Number(secondsText) * 1000;
let tried = 0;
for (let seed = Number(seedText); performance.now() < endAt; seed++, tried++) {
  const input = mutated([...target.seeds, ...kept], target.words, seed);
  await tryOne(input, seed);
  if (tried % SCALED_EVERY === 0) {
    const fault = await scalingFault(target, input);
    if (fault !== undefined) report(fault, input, seed);
  }
}
console.log(JSON.stringify({ target: target.name, tried, outcomes: known.size, kept: kept.length }));
await endTargets();
process.exit(0);
