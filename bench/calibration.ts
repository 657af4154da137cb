import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./figure.ts";
import { FLEETS, type FleetKind, simulatedFleet } from "./fleet.ts";
import { Bench, type Credentials } from "./mainstay.ts";
import { pageOf, startPings } from "./pings.ts";

/** The day on which records end, fixed so that the same rows result on any later day. */
const TODAY = "2026-11-22";
/** About 4,500 components each. */
const SIZE = { properties: 200, appliances: 4, seed: 8 };

/** About as many components as the New York elevators have. */
const LARGE = { properties: 4800, appliances: 4, seed: 8 };
const TARGET = { seconds: 20, megabytes: 500, pingMs: 50 };

export async function calibration(): Promise<Figure[]> {
  return [...(await benefit()), ...(await besideServer())];
}

/** Generates the files of a fleet and imports them into its own data folder. */
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

/** Measures the benefit of calibration on six simulated fleets with known parameters, each in its own data folder. */
async function benefit(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const fleet of FLEETS) {
    const bench = new Bench();
    try {
      await imported(bench, fleet, SIZE);
      const { json, cpuSeconds } = await bench.run("calibrate", "--as-of", TODAY);
      const { before, after } = json.validation;
      const pair = (of: typeof before) => `${of.concordance.toFixed(3)} / ${of.brier_skill.toFixed(3)}`;
      figures.push({
        what: `Concordance / Brier skill of the fleet "${fleet.name}", default and calibrated model; ${json.failures} failures in ${json.lives} lifetimes`,
        target: "calibrated above default",
        measured: `${pair(before)}, ${pair(after)}; strength of conditions ${json.evidence_strength.condition.toFixed(2)}; ${cpuSeconds.toFixed(1)} s CPU time`,
        holds: after.concordance > before.concordance && after.brier_skill > before.brier_skill,
      });
      console.log(figures.at(-1));
    } finally {
      bench.remove();
    }
  }
  return figures;
}

/** Measures a calibration to ten years of a large fleet, with validation, beside a server under load. */
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
        what: `Calibration to ten years of ${components} components (${events} events, ${json.failures} failures), with validation, beside a server under load`,
        target: `${TARGET.seconds} s, ${TARGET.megabytes} MB`,
        measured: `${cpuSeconds.toFixed(1)} s of processor time, ${seconds.toFixed(1)} s wall time, ${ms(megabytes)} MB`,
        holds: seconds <= TARGET.seconds && megabytes <= TARGET.megabytes,
      },
      {
        what: "Slowest read and slowest durable write of that server meanwhile",
        target: `${TARGET.pingMs} ms`,
        measured: `${ms(read.slowestMs)} and ${ms(write.slowestMs)} ms (median ${read.medianMs.toFixed(1)} and ${write.medianMs.toFixed(1)}); without the calibration ${ms(alone.read.slowestMs)} and ${ms(alone.write.slowestMs)} ms`,
        holds: slowest <= TARGET.pingMs,
      },
    ];
  } finally {
    bench.remove();
  }
}
