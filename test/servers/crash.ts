/*
 * Kills servers during load, again and again: `bun run crash [--rounds 1000] [--storage folder|postgres] [--seed S]
 * [--fleets 1]`, by default on both engines. Several fleets, each with a storage of its own, use the time in which one
 * waits. A round is a kill -9, the start after it, and what clients do meanwhile. Every few dozen
 * rounds all promises are checked and the storage is replaced by an empty one, so that a check reads little. Writes a
 * report per engine, to `bench/reports` if the run is full and else to `test/artifacts`, and exits 1 where a promise is
 * broken.
 */
import { parseArgs } from "node:util";
import { isFullCrashRun, saveReport } from "../support/saved-report.ts";
import { crashing } from "./faults/servers.ts";
import { postgresStorage } from "./postgres.ts";
import { runRound } from "./round.ts";
import { folderStorage } from "./storage.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1000" },
    seed: { type: "string" },
    storage: { type: "string" },
    servers: { type: "string", default: "3" },
    clients: { type: "string", default: "16" },
    fleets: { type: "string", default: "1" },
  },
});

/** The duration of load between two checks. */
const SECONDS_PER_CHECK = 60;
/** A busy machine may fail to create a round's PostgreSQL or servers in time: such a round is tried again this often. */
const MOST_SETUPS_FAILED = 5;
const SCORED_PROPERTIES = 40;
const ENGINES = ["folder", "postgres"] as const;
type Engine = (typeof ENGINES)[number];

function wholeNumber(name: "rounds" | "seed" | "servers" | "clients" | "fleets", most = 1e9): number {
  const value = values[name]!;
  if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > most)
    throw new Error(`--${name} is ${value}: use a whole number from 1 to ${most}`);
  return Number(value);
}

const engines = values.storage === undefined ? ENGINES : ENGINES.filter((name) => name === values.storage);
if (engines.length === 0) throw new Error(`--storage is ${values.storage}: use ${ENGINES.join(" or ")}`);
const rounds = wholeNumber("rounds", 1e6);
const servers = wholeNumber("servers", 16);
const clients = wholeNumber("clients", 256);
const fleets = wholeNumber("fleets", 16);
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) + 1 : wholeNumber("seed");

async function crash(engine: Engine) {
  const startedAt = Date.now();
  const total = { rounds: 0, kills: 0, checks: 0, writes: 0, deliveries: 0, unanswered: 0, setupsFailed: 0 };
  const violations: string[] = [];
  let nextSeed = seed;
  const checkOnce = async () => {
    const roundSeed = nextSeed++;
    const {
      violations: found,
      record,
      isSetUp,
    } = await runRound({
      seed: roundSeed,
      servers,
      clients,
      seconds: SECONDS_PER_CHECK,
      scoredProperties: SCORED_PROPERTIES,
      faults: [crashing(rounds - total.rounds)],
      storage: engine === "folder" ? folderStorage() : await postgresStorage(),
    });
    if (!isSetUp && record.seen.length === 0 && ++total.setupsFailed <= MOST_SETUPS_FAILED) {
      console.log(
        `${engine}: seed ${roundSeed} was not set up, and another is tried: ${found[0]?.split("\n", 3).join(" ")}`,
      );
      return;
    }
    violations.push(...found.map((violation) => `seed ${roundSeed}: ${violation}`));
    total.rounds += record.crashes;
    total.kills += record.kills;
    total.checks++;
    total.writes += record.writes.size;
    total.deliveries += record.arrivals.length;
    total.unanswered += record.answers.get("none") ?? 0;
    console.log(`${engine}: ${total.rounds} of ${rounds} rounds, ${total.writes} writes acknowledged`);
    for (const violation of found.slice(0, 20)) console.log(`  FAILED seed ${roundSeed}: ${violation}`);
    if (record.crashes === 0) throw new Error(`${engine}: no round was completed in ${SECONDS_PER_CHECK} s`);
  };
  const keepChecking = async () => {
    while (total.rounds < rounds) await checkOnce();
  };
  await Promise.all(Array.from({ length: fleets }, keepChecking));
  const figures = {
    seed,
    servers: engine === "folder" ? 1 : servers,
    clients,
    fleets,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    ...total,
    violations,
  };
  saveReport(`crash-${engine}.json`, figures, isFullCrashRun(total.rounds));
  return violations.length;
}

let broken = 0;
for (const engine of engines) broken += await crash(engine);
console.log(
  broken === 0 ? "nothing acknowledged was lost, doubled or announced twice" : `${broken} violations`,
);
process.exit(broken === 0 ? 0 : 1);
