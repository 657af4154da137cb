import type { Json } from "../../support/json.ts";
import type { Request } from "../caller.ts";
import type { Write } from "../observations.ts";
import { credentialOf, type Partner, type RoundContext } from "../round-context.ts";
import type { SeededRandom } from "../seeded-random.ts";

const THIS_YEAR = new Date().getUTCFullYear();
const TODAY = new Date().toISOString().slice(0, 10);
const PAUSE_MS = 200;

/**
 * A client with its own property and water heater, which no other client writes to, so that it knows the answer of
 * every read. It registers further properties, renames them, logs events, and lets the tank leak and dry up.
 */
export async function own(
  context: RoundContext,
  partner: Partner,
  nth: number,
  until: AbortSignal,
): Promise<void> {
  const owner = new Owner(context, partner, `client ${nth}`);
  await owner.begin();
  while (!until.aborted) {
    await owner.step();
    await Bun.sleep(owner.random.below(2 * PAUSE_MS));
  }
}

class Owner {
  readonly random: SeededRandom;
  #writes = 0;
  #propertyId = "";
  #applianceId = "";
  #tankId = "";
  #events = 0;
  #leaks = false;

  constructor(
    private readonly context: RoundContext,
    private readonly partner: Partner,
    private readonly name: string,
  ) {
    this.random = context.random.fork(name);
  }

  async begin(): Promise<void> {
    this.#propertyId = await this.#addProperty();
    const { id, components } = await this.#write("appliance", "/v1/appliances", "id", {
      property_id: this.#propertyId,
      type_id: "water_heater_gas",
      install_year: THIS_YEAR - this.random.between(4, 16),
    });
    this.#applianceId = id;
    this.#tankId = components.find((one: Json) => one.component_def_id === "wh_gas_tank").id;
  }

  async step(): Promise<void> {
    const steps = [
      () => this.#registerProperty(),
      () => this.#rename(),
      () => this.#logEvent(),
      () => this.#leak(),
    ];
    await this.random.pick(steps)();
  }

  async #registerProperty(): Promise<void> {
    const id = await this.#addProperty();
    const { body } = await this.#read(`/v1/properties/${id}`);
    if (body.id !== id) this.#stale(`property ${id} is not there`, body);
    const least = this.context.record.written(this.partner.partner_id, "property").length;
    const { body: list } = await this.#read("/v1/properties?limit=1");
    if (!(list.total >= least))
      this.#stale(`the list has ${list.total} properties, not ${least} or more`, list);
  }

  async #rename(): Promise<void> {
    const name = `${this.name}, named ${++this.#writes}`;
    const path = `/v1/properties/${this.#propertyId}`;
    await this.#done({ method: "PUT", path, body: { name } }, 200);
    const { body } = await this.#read(path);
    if (body.name !== name) this.#stale(`${this.#propertyId} is called ${body.name}, not ${name}`, body);
  }

  async #logEvent(): Promise<void> {
    const event = { appliance_id: this.#applianceId, component_id: this.#tankId, date: TODAY };
    const events = [{ ...event, event_type: "Inspection" }];
    await this.#write("event", "/v1/service-events/bulk", (body) => body.events[0].id, { events });
    this.context.record.events.set(this.#tankId, ++this.#events);
    const { body } = await this.#read(`/v1/components/${this.#tankId}/history`);
    if (body.total_events !== this.#events)
      this.#stale(`${this.#tankId} has ${body.total_events} events, not ${this.#events}`, body);
  }

  /** Reports a leak or its end, and records the tier of the tank in the answer. */
  async #leak(): Promise<void> {
    this.#leaks = !this.#leaks;
    const reply = await this.#write("reading", "/v1/meter-event/smart/v2", "event_id", {
      sensor_id: this.name,
      component_id: this.#tankId,
      appliance: { appliance_id: this.#applianceId },
      event_type: this.#leaks ? "water_leak" : "normal",
      ...(this.#leaks && { severity: "critical" }),
    });
    const [tank] = reply.affected_components;
    const { tiers } = this.context.record;
    tiers.set(this.#tankId, [...(tiers.get(this.#tankId) ?? []), tank.risk_tier]);
    const { body } = await this.#read(`/v1/components?property_id=${this.#propertyId}&limit=200`);
    const found = body.components.find((one: Json) => one.id === this.#tankId);
    if (found?.risk_score !== tank.risk_score)
      this.#stale(`${this.#tankId} has the score ${found?.risk_score}, not ${tank.risk_score}`, body);
  }

  async #addProperty(): Promise<string> {
    const body = { name: `${this.name}, ${this.#writes}`, address: "1 Elm St", state: "NY" };
    return (await this.#write("property", "/v1/properties", "id", body)).id;
  }

  /** Sends a write under its own key until it is acknowledged, now and then through two servers at once. */
  async #write(
    kind: Write["kind"],
    path: string,
    id: "id" | "event_id" | ((body: Json) => string),
    body: object,
  ): Promise<Json> {
    const key = `${this.name}, write ${++this.#writes}`;
    const request = { method: "POST" as const, path, body, key };
    const times = this.random.chance(0.2) ? 2 : 1;
    const answers = await Promise.all(Array.from({ length: times }, () => this.#done(request, 201)));
    const write = { partnerId: this.partner.partner_id, kind, key };
    for (const { body } of answers)
      this.context.record.acknowledge(write, typeof id === "string" ? body[id] : id(body));
    return answers[0]!.body;
  }

  /** Reads through any server what was just acknowledged. */
  #read(path: string) {
    return this.#done({ method: "GET", path }, 200);
  }

  #done(request: Omit<Request, "credential">, status: number) {
    return this.context.caller.done({ ...request, credential: credentialOf(this.partner) }, status);
  }

  #stale(what: string, body: Json): void {
    this.context.record.wrong(
      `a read after an acknowledged write did not see it: ${what}: ${JSON.stringify(body).slice(0, 200)}`,
    );
  }
}
