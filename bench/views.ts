import type { Figure } from "./figure.ts";
import { median } from "./load.ts";
import type { Bench } from "./mainstay.ts";
import { processorMs } from "./pages.ts";

const TARGET_MS = 50;
const VIEWS = 30;

type Client = { url: string; headers: Record<string, string> };

/** Measures what the pages of a large portfolio ask the server for, each time for records that were not asked for before. */
export async function views(
  bench: Bench,
  { url, headers }: Client,
  pid: number,
  properties: readonly { id: string }[],
): Promise<Figure[]> {
  const id = (n: number) => properties[(n * 13) % properties.length]!.id;
  const { token } = (await bench.run("embed", "create", id(0))).json as { token: string };
  const pages: Readonly<Record<string, (n: number) => string[]>> = {
    "The app's overview, its first 200 properties": (n) => [
      `/v1/portfolio/summary?limit=200&offset=${n}`,
      `/v1/portfolio/plan?limit=200&offset=${n}`,
      `/v1/portfolio/condition-trend?limit=200&offset=${n}`,
      "/v1/alerts?limit=1&system=plumbing",
    ],
    "50 actions of the portfolio with their sums": (n) => [`/v1/portfolio/actions?limit=50&offset=${n * 50}`],
    "50 actions of a system in a state with their sums": (n) => [
      `/v1/portfolio/actions?limit=50&system=plumbing&state=NY&offset=${n}`,
    ],
    "50 alerts by expected cost": (n) => [`/v1/alerts?limit=50&sort=cost&offset=${n * 50}`],
    "The app's page of a property": (n) => [
      `/v1/properties/${id(n)}`,
      `/v1/components?property_id=${id(n)}&limit=200`,
      ...["condition-score", "plan", "forecast", "reserve", "compliance", "condition-trend"].map(
        (part) => `/v1/property/${id(n)}/${part}`,
      ),
    ],
    "The shared page of a property": (n) => [`/embed/property/${token}?budget=${1000 + n}`],
  };
  const figures: Figure[] = [];
  for (const [what, pathsOf] of Object.entries(pages)) {
    const view = async (n: number) => {
      const startedAt = performance.now();
      await Promise.all(
        pathsOf(n).map(async (path) => {
          const answer = await fetch(url + path, { headers });
          await answer.bytes();
          if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
        }),
      );
      return performance.now() - startedAt;
    };
    await view(VIEWS);
    const times: number[] = [];
    const before = processorMs(pid);
    for (let n = 0; n < VIEWS; n++) times.push(await view(n));
    const spentMs = (processorMs(pid) - before) / VIEWS;
    figures.push({
      what,
      target: `${TARGET_MS} ms`,
      measured: `${spentMs.toFixed(0)} ms of the server's processor time; median ${median(times).toFixed(0)} ms by the clock`,
      holds: spentMs <= TARGET_MS,
    });
  }
  return figures;
}
