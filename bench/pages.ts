import { readFileSync } from "node:fs";
import type { Figure } from "./figure.ts";
import { median } from "./load.ts";
import type { Bench } from "./mainstay.ts";

const TARGET_MS = 50;
const VIEWS = 100;
/** Appliances of eight kinds, whose components are 300 and a few. */
const TYPES = [
  "water_heater_gas",
  "refrigerator",
  "washer",
  "dryer_electric",
  "boiler",
  "ptac",
  "roof",
  "elevator",
];
const COMPONENTS = 300;

/** Measures the server's cost of a property's page, compressed as browsers request it. */
export async function pages(bench: Bench): Promise<Figure[]> {
  const partner = await bench.partner("Pages");
  const server = await bench.serve();
  const headers = { "x-api-key": partner.api_key, "content-type": "application/json" };
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string; components: unknown[] };
  };
  const property = await post("/v1/properties", {
    name: "Elm Court",
    address: "1 Elm St",
    city: "Albany",
    state: "NY",
    unit_count: 60,
  });
  let components = 0;
  for (let n = 0; components < COMPONENTS; n++) {
    const body = {
      property_id: property.id,
      type_id: TYPES[n % TYPES.length],
      install_year: 1996 + ((n * 7) % 30),
    };
    components += (await post("/v1/appliances", body)).components.length;
  }
  await bench.run("snapshot");
  const { token } = (await bench.run("embed", "create", property.id)).json as { token: string };
  const figures: Figure[] = [];
  for (const [what, path] of [
    ["A view of a property's page", ""],
    ["A view of its replacement reserve schedule", "/schedule"],
  ] as const) {
    const url = `${server.url}/embed/property/${token}${path}`;
    const view = async () => {
      const startedAt = performance.now();
      const answer = await fetch(url, { headers: { "accept-encoding": "br" } });
      await answer.bytes();
      if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
      return performance.now() - startedAt;
    };
    for (let n = 0; n < VIEWS / 2; n++) await view();
    const times: number[] = [];
    const before = processorMs(server.pid);
    for (let n = 0; n < VIEWS; n++) times.push(await view());
    const spentMs = (processorMs(server.pid) - before) / VIEWS;
    figures.push({
      what: `${what} with ${components} components`,
      target: `${TARGET_MS} ms`,
      measured: `${spentMs.toFixed(1)} ms of the server's processor time; median ${median(times).toFixed(0)} ms by the clock`,
      holds: spentMs <= TARGET_MS,
    });
  }
  await server.stop();
  return figures;
}

/** The kernel's clock, which counts a process's processor time: 100 ticks a second on Linux, whatever the machine. */
const TICK_MS = 10;

/** Returns the processor time that a process has used so far. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // After the name, which may hold anything: utime and stime are the 14th and 15th fields of the whole.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
