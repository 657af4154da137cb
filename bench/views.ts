import type { Figure } from "./figure.ts";
import { median } from "./load.ts";
import type { Bench } from "./mainstay.ts";
import { processorMs } from "./pages.ts";

const TARGET_MS = 50;
const VIEWS = 30;

type Server = { url: string; adminUrl: string; pid: number };
type Records = {
  properties: readonly { id: string }[];
  components: readonly { id: string; appliance_id: string }[];
};

/** The requests of the nth view of a page, for records that no view asked for before. */
type Page = (n: number) => string[];

/** The pages of the app, and the shared one. */
function appPages({ properties, components }: Records, token: string): Record<string, Page> {
  const property = (n: number) => properties[(n * 13) % properties.length]!.id;
  const component = (n: number) => components[(n * 13) % components.length]!;
  return {
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
    "The app's search": (n) => [`/v1/search?q=${n}%20Main`],
    "The app's page of a property": (n) => [
      `/v1/properties/${property(n)}`,
      `/v1/components?property_id=${property(n)}&limit=200`,
      ...["condition-score", "plan", "forecast", "reserve", "compliance", "condition-trend"].map(
        (part) => `/v1/property/${property(n)}/${part}`,
      ),
    ],
    "The app's page of a component": (n) => [
      `/v1/components/${component(n).id}`,
      `/v1/components/${component(n).id}/history`,
      `/v1/appliances/${component(n).appliance_id}`,
    ],
    "The shared page of a property": (n) => [`/embed/property/${token}?budget=${1000 + n}`],
  };
}

/** The pages of the console. */
function consolePages({ properties, components }: Records, partnerId: string): Record<string, Page> {
  const property = (n: number) => properties[(n * 17) % properties.length]!.id;
  const ofPartner = `partner_id=${partnerId}`;
  return {
    "The console's overview": () => ["/admin/overview"],
    "The console's page of a partner": () => [`/admin/partners/${partnerId}`],
    "50 properties of the book with their sums": (n) => [`/admin/book/summary?offset=${n * 50}`],
    "Those of a state by name": (n) => [`/admin/book/summary?state=NY&q=Building&offset=${n * 50}`],
    "50 alerts of the book by expected cost": (n) => [`/admin/book/alerts?sort=cost&offset=${n * 50}`],
    "Those of a system in a state": (n) => [
      `/admin/book/alerts?sort=cost&system=plumbing&state=NY&offset=${n * 50}`,
    ],
    "50 components of a partner by expected cost": (n) => [
      `/admin/components?${ofPartner}&sort=cost&offset=${n * 50}`,
    ],
    "The console's search": (n) => [`/admin/search?q=${n}%20Main`],
    "The console's page of a property": (n) => [
      `/admin/properties/${property(n)}`,
      `/admin/components?property_id=${property(n)}&limit=200`,
    ],
    "The console's page of a component": (n) => [
      `/admin/components/${components[(n * 17) % components.length]!.id}/explanation`,
    ],
  };
}

/** Measures what the pages of a large portfolio ask the server for, each time for records that were not asked for before. */
export async function views(
  bench: Bench,
  server: Server,
  { partner_id, api_key }: { partner_id: string; api_key: string },
  records: Records,
): Promise<Figure[]> {
  const { token } = (await bench.run("embed", "create", records.properties[0]!.id)).json as { token: string };
  const { admin_key } = (await bench.run("admin", "create", "Views")).json as { admin_key: string };
  const app = { url: server.url, headers: { "x-api-key": api_key } };
  const console = { url: server.adminUrl, headers: { "x-api-key": admin_key } };
  return [
    ...(await measured(server.pid, app, appPages(records, token))),
    ...(await measured(server.pid, console, consolePages(records, partner_id))),
  ];
}

async function measured(
  pid: number,
  { url, headers }: { url: string; headers: Record<string, string> },
  pages: Readonly<Record<string, Page>>,
): Promise<Figure[]> {
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
