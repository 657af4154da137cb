import { expect } from "bun:test";
import fc from "fast-check";
import type { Fleet } from "../servers/fleet.ts";
import type { SeededRandom } from "../servers/seeded-random.ts";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import { ApiClient, type Credential, requestToken } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { fill, requestsFor } from "../support/hostile-requests.ts";
import { STAND_INS } from "../support/hostile-values.ts";
import type { Json } from "../support/json.ts";
import { addRecords, type RecordIds } from "../support/records.ts";
import { ADMIN_ROUTES, adminPath, EMBED_PATHS, OPEN_ROUTES } from "../support/routes.ts";
import { ENDPOINTS, type startEndpoints } from "./endpoints.ts";
import type { Recorder } from "./recorder.ts";

export type Visited = {
  fleet: Fleet;
  random: SeededRandom;
  recorder: Recorder;
  administrator: Credential;
  endpoints: Awaited<ReturnType<typeof startEndpoints>>;
  /** The pause after each call, in milliseconds. */
  pauseMs: number;
  over: AbortSignal;
};

/** Requests per operation of the API document in a visit: some of them good, most distorted or hostile. */
const REQUESTS_EACH = 2;
/** Calls that take long or need another system: `bun run bench` and tests of their own make them. */
const LEFT_OUT = [
  "/admin/rm-preflight",
  "/admin/model/proposal",
  "/admin/model/proposal/apply",
  "/admin/model/revert",
];

const document = readApiDocument();

/**
 * A partner from its creation to its purge: it calls every route, has its credentials rotated, and its reports are shown
 * and revoked. It leaves nothing behind but the audit log, so that a run of any length has the same amount of data.
 */
export async function visit(context: Visited, nth: number): Promise<void> {
  const { endpoints, recorder, random } = context;
  const admin = clientOf(context, context.administrator, true);
  const name = `Visitor ${nth}`;
  const { body: partner } = await admin.post("/admin/partners", {
    name,
    daily_budget: 1_000_000,
    webhook_url: endpoints.url(ENDPOINTS[nth % ENDPOINTS.length]!),
  });
  const path = `/admin/partners/${partner.partner_id}`;
  const steps: Record<string, (ids: RecordIds) => Promise<unknown>> = {
    operations: (ids) => callOperations(context, partner, ids),
    embeds: (ids) => showReports(context, admin, ids),
    rotations: () => rotate(context, admin, partner, path),
    administration: (ids) => administer(context, admin, partner, ids),
    pages: () => openPages(context),
  };
  try {
    const ids = await addRecords(clientOf(context, { "x-api-key": partner.api_key }));
    for (const [step, run] of Object.entries(steps)) {
      if (context.over.aborted) break;
      await run(ids).catch((error) => recorder.failed(step, error));
    }
  } catch (error) {
    recorder.failed("records", error);
  } finally {
    await admin.send("POST", `${path}/purge`, { body: { confirm: name } });
    recorder.visits++;
    await Bun.sleep(random.below(500));
  }
}

/** Returns a client whose calls go to any server and are counted; the contract of each answer is checked. */
function clientOf(context: Visited, credential: Credential, admin = false): ApiClient {
  const { fleet, random } = context;
  const url = () => {
    const server = random.pick(fleet.servers);
    return (admin ? server.adminUrl : server.url)!;
  };
  return new CountedClient(context, url, credential);
}

class CountedClient extends ApiClient {
  constructor(
    private readonly context: Visited,
    url: () => string,
    credential: Credential,
  ) {
    super(url, credential, () => "");
  }

  override async send(...args: Parameters<ApiClient["send"]>) {
    const reply = await super.send(...args);
    const [method, path] = args;
    judge(this.context, `${method} ${routeOf(path)}`, reply.status, reply.text);
    await Bun.sleep(this.context.pauseMs);
    return reply;
  }
}

/** Replaces ids and tokens, so that answers are counted by route. */
const routeOf = (path: string) =>
  path
    .split("?", 1)[0]!
    .replaceAll(/\b[A-Z]+_[0-9a-z_]{8,}/g, "{id}")
    .replaceAll(/[0-9a-f]{32}\.jpg/g, "{file}")
    .replaceAll(/%[^/]*|[^\x20-\x7e/]+/g, "…")
    .slice(0, 60);

/** No server is stopped and nothing is limited: neither a fault nor a refusal of load is expected. */
function judge({ recorder }: Visited, route: string, status: number, text: string): void {
  recorder.answered(route, status);
  if (status >= 500 || status === 429)
    recorder.wrong(`${route} was answered ${status}: ${text.slice(0, 200)}`);
}

async function callOperations(context: Visited, partner: Json, ids: RecordIds): Promise<void> {
  const key = clientOf(context, { "x-api-key": partner.api_key });
  const token = await requestToken(context.fleet.servers[0]!.url!, partner as never);
  const bearer = clientOf(context, { authorization: `Bearer ${token}` });
  const values = { ...STAND_INS, ...ids, svc_client: partner.client_id, svc_secret: partner.client_secret };
  for (const at of operationsOf(document)) {
    const requests = fc.sample(requestsFor(document, at), {
      numRuns: REQUESTS_EACH,
      seed: context.random.below(2 ** 31),
    });
    for (const { target, headers, body, encoding } of requests) {
      if (context.over.aborted) return;
      const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, values)]);
      const client = context.random.chance(0.5) ? key : bearer;
      await client
        .send(at.method, fill(target, values), {
          headers: Object.fromEntries(filled),
          ...(body !== undefined && { raw: Buffer.from(fill(body, values), encoding) }),
        })
        .catch((error) => context.recorder.failed(at.operation.operationId, error));
    }
  }
}

async function showReports(context: Visited, admin: ApiClient, ids: RecordIds): Promise<void> {
  const { fleet, random } = context;
  const { status, body: embed } = await admin.send("POST", "/admin/embeds", {
    body: { property_id: ids.P_ },
  });
  // Another visit has retired the property.
  if (status === 409) return;
  expect(status).toBe(201);
  const { token } = embed;
  const urls = EMBED_PATHS.map((path) =>
    path.replace("{token}", token).replace("{file}", "plan.csv?years=30"),
  );
  for (const url of urls) {
    const { status, text } = await page(context, url);
    if (status !== 200)
      context.recorder.wrong(`a page of a report was answered ${status}: ${text.slice(0, 200)}`);
  }
  // Readers that leave before the answer.
  for (let nth = 0; nth < 5; nth++) {
    const leave = AbortSignal.timeout(random.between(1, 20));
    await fetch(`${random.pick(fleet.servers).url}${random.pick(urls)}`, { signal: leave })
      .then((response) => response.text())
      .catch((error) => {
        if (!leave.aborted) throw error;
      });
  }
  await admin.post(`/admin/embeds/${embed.embed_id ?? embed.id}/revoke`, {}, 200);
  await eventually(async () => expect((await page(context, urls[0]!)).status).toBe(404), 10_000);
}

async function rotate(context: Visited, admin: ApiClient, partner: Json, path: string): Promise<void> {
  const { body: rotated } = await admin.post(`${path}/rotate-key`, {}, 200);
  const ping = (api_key: string) => clientOf(context, { "x-api-key": api_key }).get("/v1/ping", {}, 200);
  await eventually(() => ping(rotated.api_key), 10_000);
  const old = clientOf(context, { "x-api-key": partner.api_key });
  await eventually(() => old.get("/v1/ping", {}, 401), 10_000);
  partner.api_key = rotated.api_key;
  await admin.post(`${path}/rotate-secret`, {}, 200);
  await admin.post(`${path}/rotate-webhook-secret`, { overlap_hours: 1 }, 200);
  await admin.post(`${path}/revoke-tokens`, {}, 200);
}

/** Calls the administrators' routes, changes without a body, which most of them refuse. */
async function administer(context: Visited, admin: ApiClient, partner: Json, ids: RecordIds): Promise<void> {
  const all = {
    ...ids,
    PARTNER_: partner.partner_id,
    EMB_: "EMB_00000000000000000000000000",
    job: "prune-deliveries",
  };
  for (const { method, path } of ADMIN_ROUTES) {
    if (LEFT_OUT.includes(path) || context.over.aborted) continue;
    const asking = method === "GET" ? {} : { body: {} };
    await admin
      .send(method, adminPath(path, all), asking)
      .catch((error) => context.recorder.failed(`${method} ${path}`, error));
  }
}

async function openPages(context: Visited): Promise<void> {
  for (const { path } of OPEN_ROUTES) {
    if (path.includes("{") || path === "/console" || path === "/metrics") continue;
    const { status } = await page(context, path);
    if (status >= 400) context.recorder.wrong(`GET ${path} was answered ${status}`);
  }
}

/** Requests a page as a browser does. */
async function page(context: Visited, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${context.random.pick(context.fleet.servers).url}${path}`);
  const text = await response.text();
  judge(
    context,
    `GET ${path.replace(/property\/[^/]+/, "property/{token}").split("?")[0]}`,
    response.status,
    text,
  );
  await Bun.sleep(context.pauseMs);
  return { status: response.status, text };
}
