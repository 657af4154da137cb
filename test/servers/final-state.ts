import type { Json } from "../support/json.ts";
import type { Tier } from "./observations.ts";
import { credentialOf, type Partner, type RoundContext } from "./round-context.ts";

/** The answers of the servers about one partner once nothing is pending. */
export type PartnerState = {
  partnerId: string;
  /** The ids in the lists, a duplicate twice. */
  properties: string[];
  appliances: string[];
  /** Service events on record by component, for those of which clients have logged any. */
  events: Map<string, number>;
  components: { id: string; tier: Tier }[];
  totals: { properties: number; critical: number; warning: number };
  /** Trend points of today by component, for a few of them. */
  trendPoints: Map<string, number>;
};

export type FinalState = {
  partners: PartnerState[];
  /** The snapshots of the day, with the numbers of scored and announced components. */
  snapshots: { date: string; components: number; announced: number; finished: boolean }[];
  /** The outcome of each attempt, in order. */
  deliveries: { id: string; status: string; attempts: string[] }[];
};

const PAGE = 200;
/** The number of components whose trend is read: a call each. */
const TRENDS_READ = 20;

export async function readFinalState(context: RoundContext): Promise<FinalState> {
  const partners: PartnerState[] = [];
  for (const partner of [...context.partners, context.scored])
    partners.push(await findPartner(context, partner));
  const { administrator: credential } = context;
  const runs = await all(context, "/admin/snapshots?", "snapshots", credential, true);
  const deliveries = await all(context, "/admin/webhook-deliveries?", "deliveries", credential, true);
  return {
    partners,
    snapshots: runs.map((run) => ({
      date: run.date,
      components: run.components,
      announced: run.announced,
      finished: run.finished_at !== null,
    })),
    deliveries: deliveries.map(({ id, status, attempts }) => ({
      id,
      status,
      attempts: attempts.map(({ error }: Json) => (error === null ? "delivered" : "failed")),
    })),
  };
}

async function findPartner(context: RoundContext, partner: Partner): Promise<PartnerState> {
  const credential = credentialOf(partner);
  const list = (path: string, name: string) => all(context, path, name, credential);
  const get = async (path: string) =>
    (await context.caller.done({ method: "GET", path, credential }, 200)).body as Json;
  const components = await list("/v1/components?", "components");
  const trendPoints = new Map<string, number>();
  for (const { id } of components.slice(0, TRENDS_READ))
    trendPoints.set(id, (await get(`/v1/components/${id}/trend`)).trend.length);
  const events = new Map<string, number>();
  for (const id of context.record.events.keys())
    if (components.some((one) => one.id === id))
      events.set(id, (await get(`/v1/components/${id}/history`)).total_events);
  const ids = (rows: Json[]) => rows.map(({ id }) => id as string);
  return {
    partnerId: partner.partner_id,
    properties: ids(await list("/v1/properties?", "properties")),
    appliances: ids(await list("/v1/appliances?", "appliances")),
    events,
    components: components.map(({ id, risk_tier }) => ({ id, tier: risk_tier })),
    totals: (await get("/v1/portfolio/summary?limit=1")).totals,
    trendPoints,
  };
}

/** Reads all pages of a list, each through any server. */
async function all(
  { caller }: RoundContext,
  path: string,
  name: string,
  credential: Readonly<Record<string, string>>,
  admin = false,
): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const page = `${path}limit=${PAGE}&offset=${rows.length}`;
    const { body } = await caller.done({ method: "GET", path: page, credential, admin }, 200);
    rows.push(...body[name]);
    if (rows.length >= body.total || body[name].length === 0) return rows;
  }
}
