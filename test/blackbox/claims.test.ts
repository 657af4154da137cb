import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, daysFromToday, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();

let client: ApiClient;
let stranger: ApiClient;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  stranger = server.as(await server.createPartner("Umbrella"));
});

const CLAIM = { claim_type: "equipment_breakdown", date_of_loss: daysFromToday(0), amount: 1234.56 };

/** A property with a 14-year-old boiler and a washer, and the path of its claims. */
async function insured() {
  const property = await addProperty(client);
  await addAppliance(client, property.id, { type_id: "boiler", install_year: THIS_YEAR - 14 });
  await addAppliance(client, property.id, { type_id: "washer" });
  const path = `/v1/property/${property.id}/claims`;
  return {
    property,
    path,
    record: async (body: object, headers = {}): Promise<Json> =>
      (await client.post(path, body, 201, headers)).body,
    refuse: async (body: unknown): Promise<Json> => (await client.post(path, body, 400)).body,
    list: async (query = {}): Promise<Json> => (await client.get(path, query)).body,
    impact: async (): Promise<Json> => (await client.get(`${path}/impact`)).body,
    score: async (defId: string): Promise<number> => {
      const query = { property_id: property.id, limit: 200 };
      const { components } = (await client.get("/v1/components", query)).body;
      return components.find((one: Json) => one.component_def_id === defId).risk_score;
    },
  };
}

describe("one claim", () => {
  // Rule: ids, claim-record, create-claims
  test("returns its record and a bulk result", async () => {
    const { property, record } = await insured();
    const claim = {
      id: expect.stringMatching(/^CLM_[0-9a-z]{26}$/),
      property_id: property.id,
      claim_type: "equipment_breakdown",
      date_of_loss: CLAIM.date_of_loss,
      claim_number: "A-17",
      carrier: "Hartford",
      amount_paid: 1234.56,
      description: "Burner\nfailed",
      status: "closed",
      scoring_impact: 1.8,
      created_at: expect.stringMatching(/Z$/),
    };
    const optional = {
      claim_number: " A-17 ",
      carrier: "Hartford",
      description: "Burner\nfailed",
      status: "closed",
    };
    expect(await record({ ...CLAIM, ...optional })).toEqual({
      ...claim,
      created: 1,
      errors: 0,
      events: [claim],
      error_details: [],
      warnings: [],
      partner: "Acme",
    });
  });

  // Rule: claim-status
  test("is open by default, with absent values as null", async () => {
    const { record } = await insured();
    expect(await record({ ...CLAIM, carrier: null, status: null })).toMatchObject({
      status: "open",
      claim_number: null,
      carrier: null,
      description: null,
    });
  });

  // Rule: score-with-write
  test("updates the scores of the affected components before the response", async () => {
    const { record, score } = await insured();
    const before = await score("boiler_burner");
    const other = await score("boiler_circulator");
    await record(CLAIM);
    expect(await score("boiler_burner")).toBeGreaterThan(before);
    expect(await score("boiler_circulator")).toBe(other);
  });

  // Rule: claim-types
  test.each(["water_damage", "fire_electrical"])(
    "of type %s is known, and scored where it fits",
    async (claim_type) => {
      const { record, impact } = await insured();
      const body = await record({ ...CLAIM, claim_type });
      expect(body.warnings).toEqual([]);
      expect(body.scoring_impact).toBeGreaterThan(1);
      const [claim] = (await impact()).claims;
      expect(claim).toMatchObject({ claim_type, status: "active_scoring", scored: true });
      expect(claim.affected_systems.length).toBeGreaterThan(0);
    },
  );

  // Rule: claim-types
  test("of an unknown type is stored, has no effect on scores, and causes a warning", async () => {
    const { record, impact } = await insured();
    const body = await record({ ...CLAIM, claim_type: "meteor_strike" });
    expect(body).toMatchObject({ claim_type: "meteor_strike", scoring_impact: 1 });
    expect(body.warnings).toEqual([expect.stringContaining("meteor_strike")]);
    expect((await impact()).claims[0]).toMatchObject({
      label: "Other",
      base_likelihood_ratio: 1,
      effective_likelihood_ratio: 1,
      affected_systems: [],
      affected_components_count: 0,
      scored: false,
    });
  });

  // Rule: key-replay
  test("repeated with an Idempotency-Key is stored once", async () => {
    const { record, list } = await insured();
    const key = { "idempotency-key": crypto.randomUUID() };
    expect(await record(CLAIM, key)).toEqual(await record(CLAIM, key));
    expect(await list()).toMatchObject({ total: 1 });
  });

  // Rule: missing-fields
  test("without the required fields is rejected with their names", async () => {
    const { refuse } = await insured();
    for (const body of [{}, { ...CLAIM, amount: null }, { claim_type: "", date_of_loss: "", amount: 1 }])
      expect(await refuse(body)).toMatchObject({ error: "claim_type, date_of_loss, amount required" });
  });

  // Rule: text-bounds, claim-types, claim-status, create-claims
  test.each<[string, object]>([
    ["claim_type", { claim_type: "Water Damage" }],
    ["claim_type", { claim_type: "a".repeat(65) }],
    ["claim_type", { claim_type: "__proto__" }],
    ["claim_type", { claim_type: 7 }],
    ["date_of_loss", { date_of_loss: "2024-02-30" }],
    ["date_of_loss", { date_of_loss: "1899-12-31" }],
    ["date_of_loss", { date_of_loss: daysFromToday(3) }],
    ["amount", { amount: -1 }],
    ["amount", { amount: "12" }],
    ["amount", { amount: 1e300 }],
    ["status", { status: "settled" }],
    ["carrier", { carrier: "x".repeat(501) }],
    ["carrier", { carrier: "a\u0000b" }],
    ["description", { description: "x".repeat(10_001) }],
  ])("with an invalid %s is rejected: %j", async (field, bad) => {
    const { refuse, list } = await insured();
    const body = await refuse({ ...CLAIM, ...bad });
    expect(body.details).toEqual([{ field, message: expect.stringMatching(/^must be /) }]);
    expect(body.error).toStartWith(`${field} must be `);
    expect(await list()).toMatchObject({ total: 0 });
  });
});

describe("a list of claims", () => {
  // Rule: create-claims, bulk-partial
  test("is saved except for invalid claims", async () => {
    const { record, list } = await insured();
    const claims = [
      CLAIM,
      { claim_type: "mold" },
      null,
      { ...CLAIM, amount: -1 },
      { ...CLAIM, claim_type: "hail_x" },
    ];
    const body = await record({ claims });
    expect(body).toEqual({
      created: 2,
      errors: 3,
      events: [
        expect.objectContaining({ claim_type: "equipment_breakdown", scoring_impact: 1.8 }),
        expect.objectContaining({ claim_type: "hail_x", scoring_impact: 1 }),
      ],
      error_details: [
        { index: 1, error: "claim_type, date_of_loss, amount required" },
        { index: 2, error: "claim_type, date_of_loss, amount required" },
        { index: 3, error: expect.stringMatching(/^amount must be /) },
      ],
      warnings: [expect.stringContaining("hail_x")],
      partner: "Acme",
    });
    expect((await list()).claims.map((claim: Json) => claim.id).sort()).toEqual(
      body.events.map((claim: Json) => claim.id).sort(),
    );
  });

  // Rule: bulk-size
  test("may be empty, and has at most 1,000 claims", async () => {
    const { record, refuse } = await insured();
    expect(await record({ claims: [] })).toMatchObject({ created: 0, errors: 0, events: [] });
    const claims = Array.from({ length: 1001 }, () => CLAIM);
    expect(await refuse({ claims })).toMatchObject({ error: "At most 1000 items per request" });
    expect(await refuse({ claims: {} })).toMatchObject({ error: "claims must be an array" });
  });
});

describe("the claims of a property", () => {
  // Rule: list-claims
  test("are listed by date of loss, most recent first, in pages", async () => {
    const { property, record, list } = await insured();
    const days = [-400, -3, -2000, -30].map(daysFromToday);
    await record({ claims: days.map((date_of_loss) => ({ ...CLAIM, date_of_loss })) });
    const dates = (body: Json) => body.claims.map((claim: Json) => claim.date_of_loss);
    expect(await list()).toMatchObject({
      property_id: property.id,
      total: 4,
      limit: 50,
      offset: 0,
      page: 1,
      pages: 1,
      partner: "Acme",
    });
    expect(dates(await list())).toEqual(days.toSorted().reverse());
    expect(dates(await list({ limit: 2, offset: 2 }))).toEqual(days.toSorted().reverse().slice(2));
    expect(await list({ offset: 9 })).toMatchObject({ claims: [], total: 4, pages: 1 });
  });

  // Rule: scoring-impact
  test("have their current effect on scores", async () => {
    const { record, list } = await insured();
    const denied = { ...CLAIM, status: "denied", date_of_loss: daysFromToday(-1) };
    const old = [-1461, -1827].map((days) => ({ ...CLAIM, date_of_loss: daysFromToday(days) }));
    await record({ claims: [...old, denied, CLAIM] });
    const impacts = (await list()).claims.map((claim: Json) => [claim.status, claim.scoring_impact]);
    expect(impacts).toEqual([
      ["open", 1.8],
      ["denied", 1],
      ["open", 1.16], // four of five years
      ["open", 1],
    ]);
  });
});

describe("the impact of claims", () => {
  // Rule: claims-impact
  test("has every field of the specification", async () => {
    const { property, record, impact } = await insured();
    const { id } = await record({ ...CLAIM, date_of_loss: daysFromToday(-1461) });
    expect(await impact()).toEqual({
      property_id: property.id,
      name: property.name,
      total_claims: 1,
      active_claims: 1,
      expired_claims: 0,
      claims: [
        {
          claim_id: id,
          claim_type: "equipment_breakdown",
          label: "Equipment breakdown (boiler and machinery)",
          date_of_loss: daysFromToday(-1461),
          age_years: 4,
          base_likelihood_ratio: 1.8,
          effective_likelihood_ratio: 1.16,
          decay_remaining_years: 1,
          status: "active_scoring",
          scored: true,
          affected_systems: ["hvac", "electrical", "conveyance", "amenity", "life_safety"],
          affected_components_count: 4, // heat exchanger, burner, controls, relief valve
        },
      ],
      methodology: {
        version: "3",
        recency_decay: { decay_years: 5 },
        max_claims_scored: 3,
      },
      partner: "Acme",
    });
  });

  // Rule: claim-end
  test("counts active and expired claims, of which at most three are scored", async () => {
    const { record, impact } = await insured();
    const types = ["gas_leak_explosion", "fire_electrical", "frozen_pipe_burst", "mold"];
    const active = types.map((claim_type) => ({ ...CLAIM, claim_type }));
    const silent = [
      { ...CLAIM, status: "denied" },
      { ...CLAIM, date_of_loss: daysFromToday(-1830) },
    ];
    await record({ claims: [...active, ...silent] });
    const body = await impact();
    expect(body).toMatchObject({ total_claims: 6, active_claims: 4, expired_claims: 2 });
    const scored = body.claims.filter((claim: Json) => claim.scored);
    expect(scored.map((claim: Json) => claim.claim_type).sort()).toEqual(types.slice(0, 3).sort());
    for (const claim of body.claims)
      expect(claim.effective_likelihood_ratio > 1).toBe(claim.status === "active_scoring");
  });

  test("is empty without claims", async () => {
    const { impact } = await insured();
    expect(await impact()).toMatchObject({
      total_claims: 0,
      active_claims: 0,
      expired_claims: 0,
      claims: [],
    });
  });
});

// Rule: unknown-is-404
test("the claims of an unknown property, or another partner's, are not found", async () => {
  const { path } = await insured();
  const unknown = "/v1/property/P_00000000000000000000000000/claims";
  for (const { body } of [
    await stranger.get(path, {}, 404),
    await stranger.get(`${path}/impact`, {}, 404),
    await stranger.post(path, CLAIM, 404),
    await stranger.post(path, { claims: [CLAIM] }, 404),
    await client.post(unknown, CLAIM, 404),
    await client.get(unknown, {}, 404),
  ])
    expect(body).toMatchObject({ error: "Property not found", code: "not_found" });
});
