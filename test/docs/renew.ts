/*
 * Writes anew what is made of other files: `bun test/docs/renew.ts`. To be run after config.example.toml or what a
 * setting accepts was changed, which the manual has tables of; and after a rule or a test that proves one was.
 */
import { writeFileSync } from "node:fs";
import { faultsOf, PAGE, pageOf, proofsOf, readSkeleton, readTestFiles, rulesOf } from "./conformance.ts";
import { MANUAL, readManual } from "./manual.ts";
import { withSettings } from "./settings-tables.ts";

writeFileSync(MANUAL, withSettings(readManual()));

const rules = rulesOf(readSkeleton());
const { proofs, faults } = proofsOf(rules, readTestFiles());
writeFileSync(PAGE, pageOf(readSkeleton(), proofs));
for (const fault of [...faults, ...faultsOf(rules, proofs)]) {
  console.error(fault);
  process.exitCode = 1;
}
