import { request } from "node:http";
import { addDays, type Day, yearOf } from "../../domain/time.ts";
import type { SmokeEndpoint } from "./smoke-endpoint.ts";
import { SmokeFailure } from "./smoke-failure.ts";
import type { SmokeProcesses } from "./smoke-processes.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are inspected, and may have any shape
type Json = any;

/** Runs and times one named step. A failure stops the test. */
export type Step = <T>(name: string, run: () => Promise<T>) => Promise<T>;

type JourneyDeps = {
  processes: SmokeProcesses;
  /** The address that the server listens on. */
  host: string;
  deliveries: SmokeEndpoint;
  today: Day;
};

/** Runs what an operator and a partner do on the first day, from the first start of a server to a restart. */
export async function runSmokeJourney(step: Step, deps: JourneyDeps): Promise<void> {
  const { processes, host, deliveries, today } = deps;
  let server = await step("start", () => processes.serve(host));

  const partner = await step("partner", async () => {
    const made: Json = await processes.run("partner", "create", "Smoke", "--webhook-url", deliveries.url);
    deliveries.secret = made.webhook_secret;
    return made;
  });

  const bearer = await step("token", async () => {
    const { client_id, client_secret } = partner;
    const body = { grant_type: "client_credentials", client_id, client_secret };
    const { access_token } = await ask(server.url, "POST /api/oauth/token", 200, {}, body);
    return { authorization: `Bearer ${access_token}` };
  });

  const property = await step("property", () =>
    ask(server.url, "POST /api/v1/properties", 201, bearer, {
      name: "Smoke House",
      address: "1 Test Street",
      state: "NY",
      unit_count: 4,
    }),
  );

  const appliance = await step("appliance", () =>
    ask(server.url, "POST /api/v1/appliances", 201, bearer, {
      property_id: property.id,
      type_id: "water_heater_gas",
      install_year: yearOf(today) - 30,
    }),
  );

  await step("events", async () => {
    const common = { appliance_id: appliance.id, date: addDays(today, -30) };
    const events = [
      { ...common, event_type: "Repair", parts_cost: 120, labor_cost: 180, notes: "Leak at the tank" },
      { ...common, event_type: "Inspection", condition_after: "poor" },
    ];
    const reply = await ask(server.url, "POST /api/v1/service-events/bulk", 201, bearer, { events });
    expectEqual("events created", reply.created, events.length);
  });

  await step("snapshot", async () => {
    const taken: Json = await processes.run("snapshot");
    expectEqual("components scored", taken.components, appliance.components_created);
    if (!(taken.announced > 0)) throw new SmokeFailure("tier changes", `there were ${taken.announced}`);
  });

  const alerts = await step("alerts", async () => {
    const reply = await ask(server.url, "GET /api/v1/alerts", 200, bearer);
    if (!(reply.critical_count > 0))
      throw new SmokeFailure("a critical component", `critical_count is ${reply.critical_count}`);
    return reply;
  });

  await step("delivery", () => deliveries.criticalAlert());

  await step("restart", async () => {
    expectEqual("exit code after SIGTERM", await server.stop(), 0);
    server = await processes.serve(host);
    const after = await ask(server.url, "GET /api/v1/alerts", 200, bearer);
    expectEqual("alerts after the restart", after.total, alerts.total);
  });

  await step("stop", async () => expectEqual("exit code after SIGTERM", await server.stop(), 0));
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new SmokeFailure(`${what} to be ${expected}`, `it was ${actual}`);
}

/** Sends a request to the server. Uses node:http because `fetch` would use a proxy from the environment. */
function ask(
  url: string,
  methodAndPath: string,
  status: number,
  headers: Record<string, string>,
  body?: object,
): Promise<Json> {
  const [method, path] = methodAndPath.split(" ");
  return new Promise((resolve, reject) => {
    const fail = (actual: string) => reject(new SmokeFailure(`${status} from ${methodAndPath}`, actual));
    const sent = request(
      `${url}${path}`,
      { method, agent: false, headers: { ...headers, ...(body && { "content-type": "application/json" }) } },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === status) resolve(JSON.parse(text));
        else fail(`it returned ${response.statusCode}: ${text.slice(0, 300)}`);
      },
    );
    sent.on("error", (error) => fail(`the request failed: ${error.message}`));
    sent.end(body && JSON.stringify(body));
  });
}
