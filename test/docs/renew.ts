/*
 * Rewrites the documents that are generated from other files: `bun test/docs/renew.ts`. Run it after a change of
 * config.example.toml or of the values that a setting accepts, which the manual has tables of, and after a change
 * of a rule or of a test that proves one.
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
