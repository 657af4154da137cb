import { request } from "node:http";
import { addDays, type Day, yearOf } from "../../domain/time.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Processes } from "./processes.ts";
import { Unexpected } from "./unexpected.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into and compared, never trusted to have a form
type Json = any;

/** Runs one part of the journey under a name, measures it, and stops the journey when it fails. */
export type Step = <T>(name: string, run: () => Promise<T>) => Promise<T>;

export type JourneyWorld = {
  processes: Processes;
  /** Where the server listens. */
  host: string;
  deliveries: Deliveries;
  today: Day;
};

/** What an operator and a partner do on the first day, from the start of a server to its second start. */
export async function walkJourney(step: Step, world: JourneyWorld): Promise<void> {
  const { processes, host, deliveries, today } = world;
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
    if (!(taken.announced > 0)) throw new Unexpected("announced tiers", `${taken.announced} came`);
  });

  const alerts = await step("alerts", async () => {
    const reply = await ask(server.url, "GET /api/v1/alerts", 200, bearer);
    if (!(reply.critical_count > 0))
      throw new Unexpected("a critical component", `critical_count is ${reply.critical_count}`);
    return reply;
  });

  await step("delivery", () => deliveries.announced());

  await step("restart", async () => {
    expectEqual("the exit code after SIGTERM", await server.stop(), 0);
    server = await processes.serve(host);
    const after = await ask(server.url, "GET /api/v1/alerts", 200, bearer);
    expectEqual("alerts after the restart", after.total, alerts.total);
  });

  await step("stop", async () => expectEqual("the exit code after SIGTERM", await server.stop(), 0));
}

function expectEqual(what: string, came: unknown, expected: unknown): void {
  if (came !== expected) throw new Unexpected(`${what} to be ${expected}`, `it was ${came}`);
}

/** Asks the server, straight past any proxy that the environment names, as `fetch` would not. */
function ask(
  url: string,
  methodAndPath: string,
  status: number,
  headers: Record<string, string>,
  body?: object,
): Promise<Json> {
  const [method, path] = methodAndPath.split(" ");
  return new Promise((resolve, reject) => {
    const fail = (came: string) => reject(new Unexpected(`${status} from ${methodAndPath}`, came));
    const sent = request(
      `${url}${path}`,
      { method, agent: false, headers: { ...headers, ...(body && { "content-type": "application/json" }) } },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === status) resolve(JSON.parse(text));
        else fail(`it answered ${response.statusCode}: ${text.slice(0, 300)}`);
      },
    );
    sent.on("error", (error) => fail(`it could not be asked: ${error.message}`));
    sent.end(body && JSON.stringify(body));
  });
}
