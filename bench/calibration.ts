import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./figure.ts";
import { FLEETS, type FleetKind, simulatedFleet } from "./fleet.ts";
import { Bench, type Credentials } from "./mainstay.ts";
import { pageOf, startPings } from "./pings.ts";

/** The day up to which fleets are on record, so that their rows come out the same on any later one. */
const TODAY = "2026-11-22";
/** About 4,500 components each. */
const SIZE = { properties: 200, appliances: 4, seed: 8 };

/** About as many components as New York's elevators have. */
const LARGE = { properties: 4800, appliances: 4, seed: 8 };
const TARGET = { seconds: 20, megabytes: 500, pingMs: 50 };

export async function calibration(): Promise<Figure[]> {
  return [...(await worth()), ...(await besideServer())];
}

/** The files of a fleet, imported into a data folder of its own. */
async function imported(bench: Bench, fleet: FleetKind, size: typeof SIZE): Promise<Imported> {
  const folder = join(bench.folder, "fleet");
  mkdirSync(folder);
  const files = await simulatedFleet(folder, fleet, { ...size, today: TODAY });
  const partner = await bench.partner(fleet.name);
  const { json } = await bench.run(
    "import",
    ...["--partner", partner.partner_id, "--properties", files.properties],
    ...["--appliances", files.appliances, "--service-events", files.serviceEvents],
  );
  return { partner, components: json.components.created, events: json.service_events.created };
}

type Imported = { partner: Credentials; components: number; events: number };

/** Measures the benefit of calibration on six simulated fleets with known truth, each in its own data folder. */
async function worth(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const fleet of FLEETS) {
    const bench = new Bench();
    try {
      await imported(bench, fleet, SIZE);
      const { json, cpuSeconds } = await bench.run("calibrate", "--as-of", TODAY);
      const { before, after } = json.validation;
      const pair = (of: typeof before) => `${of.concordance.toFixed(3)} / ${of.brier_skill.toFixed(3)}`;
      figures.push({
        what: `Concordance / Brier skill of the fleet "${fleet.name}", plain and calibrated; ${json.failures} failures of ${json.lives} lives`,
        target: "calibrated above plain",
        measured: `${pair(before)}, ${pair(after)}; strength of the condition ${json.evidence_strength.condition.toFixed(2)}; ${cpuSeconds.toFixed(1)} s of processor time`,
        holds: after.concordance > before.concordance && after.brier_skill > before.brier_skill,
      });
      console.log(figures.at(-1));
    } finally {
      bench.remove();
    }
  }
  return figures;
}

/** The fit to ten years of a large fleet, with its proof, beside a server that is read from and written to. */
async function besideServer(): Promise<Figure[]> {
  const bench = new Bench();
  try {
    const { partner, components, events } = await imported(bench, FLEETS[1]!, LARGE);
    const server = await bench.serve();
    const reads = pageOf(server.url, partner);
    const writes = (n: number) =>
      fetch(`${server.url}/v1/properties`, {
        method: "POST",
        headers: { "x-api-key": partner.api_key, "content-type": "application/json" },
        body: JSON.stringify({ name: `Ping ${n}`, address: `${n} Ping St`, state: "NY" }),
      });
    const pinged = async <T>(work: () => Promise<T>) => {
      const pings = [startPings(reads), startPings(writes)];
      const result = await work();
      const [read, write] = await Promise.all(pings.map((one) => one.stop()));
      return { result, read: read!, write: write! };
    };
    const alone = await pinged(() => Bun.sleep(10_000));
    const { result, read, write } = await pinged(() => bench.run("calibrate", "--as-of", TODAY));
    await server.stop();
    const { json, seconds, cpuSeconds, megabytes } = result;
    const slowest = Math.max(read.slowestMs, write.slowestMs);
    const ms = (value: number) => value.toFixed(0);
    return [
      {
        what: `The fit to ten years of ${components} components (${events} events, ${json.failures} failures), with its proof, beside a server that is read from and written to`,
        target: `${TARGET.seconds} s, ${TARGET.megabytes} MB`,
        measured: `${cpuSeconds.toFixed(1)} s of processor time, ${seconds.toFixed(1)} s by the clock, ${ms(megabytes)} MB`,
        holds: seconds <= TARGET.seconds && megabytes <= TARGET.megabytes,
      },
      {
        what: "The slowest page and the slowest durable write of that server meanwhile",
        target: `${TARGET.pingMs} ms`,
        measured: `${ms(read.slowestMs)} and ${ms(write.slowestMs)} ms (median ${read.medianMs.toFixed(1)} and ${write.medianMs.toFixed(1)}); without the fit ${ms(alone.read.slowestMs)} and ${ms(alone.write.slowestMs)} ms`,
        holds: slowest <= TARGET.pingMs,
      },
    ];
  } finally {
    bench.remove();
  }
}
