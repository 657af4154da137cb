/*
 * Runs several servers under faults: `bun run check:servers [--rounds N] [--seed S] [--fault NAME]…`, three over one
 * PostgreSQL, or with `--storage folder` one over a data folder. In each round, clients call the servers on a new
 * storage while one or more faults happen; then the promises are checked. Exits 1 where one is broken. The seed
 * determines the choices, not the scheduling of processes: the same seed is likely, not sure, to fail again.
 */
import { parseArgs } from "node:util";
import type { Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/faults.ts";
import { postgresStorage } from "./postgres.ts";
import { runRound } from "./round.ts";
import { SeededRandom } from "./seeded-random.ts";
import { folderStorage } from "./storage.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    seed: { type: "string" },
    fault: { type: "string", multiple: true },
    servers: { type: "string", default: "3" },
    clients: { type: "string", default: "64" },
    seconds: { type: "string", default: "10" },
    storage: { type: "string", default: "postgres" },
    // The folder with `initdb` and `postgres` of another version.
    postgres: { type: "string" },
  },
});

function wholeNumber(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`--${name} must be a whole number, not ${value}`);
  return Number(value);
}

const inFolder = values.storage === "folder";
if (!inFolder && values.storage !== "postgres") throw new Error("--storage is folder or postgres");
const possible = Object.values(FAULTS).filter(({ needsDatabase }) => !(needsDatabase && inFolder));

/** Returns the named faults; otherwise one fault per round, or several random ones in a series of rounds. */
function faultsOf(nth: number, mixed: boolean, random: SeededRandom): Fault[] {
  const named = (values.fault ?? []).map((name) => {
    const fault = FAULTS[name];
    if (!fault) throw new Error(`there is no fault ${name}; there are ${Object.keys(FAULTS).join(", ")}`);
    return fault;
  });
  if (named.length > 0) return named;
  if (!mixed) return [possible[nth]!];
  const all = possible.filter(({ isLong }) => !isLong);
  const mix = [...new Set(Array.from({ length: random.between(1, 3) }, () => random.pick(all)))];
  const owner = mix.find(({ ownsDatabase }) => ownsDatabase);
  return mix.filter((fault) => fault === owner || !fault.ownsDatabase);
}

const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : wholeNumber("seed", values.seed);
const rounds = values.rounds === undefined ? undefined : wholeNumber("rounds", values.rounds);
const count = rounds ?? (values.fault ? 1 : possible.length);
let failed = 0;
for (let nth = 0; nth < count; nth++) {
  const roundSeed = seed + nth;
  const faults = faultsOf(nth, rounds !== undefined, new SeededRandom(roundSeed).fork("faults"));
  const names = faults.map(({ name }) => name);
  console.log(`round ${nth + 1} of ${count}, seed ${roundSeed}, ${names.join(" and ")}`);
  const { violations, summary } = await runRound({
    seed: roundSeed,
    servers: wholeNumber("servers", values.servers),
    clients: wholeNumber("clients", values.clients),
    seconds: wholeNumber("seconds", values.seconds),
    faults,
    storage: inFolder ? folderStorage() : await postgresStorage({ bin: values.postgres }),
  });
  console.log(`  ${summary}`);
  for (const violation of violations.slice(0, 20)) console.log(`  FAILED ${violation}`);
  if (violations.length > 20) console.log(`  and ${violations.length - 20} more`);
  if (violations.length > 0) failed++;
  const again = names.map((name) => ` --fault ${name}`).join("");
  if (violations.length > 0) console.log(`  again: bun run check:servers --seed ${roundSeed}${again}`);
}
console.log(`${count - failed} of ${count} rounds held`);
process.exit(failed > 0 ? 1 : 0);
