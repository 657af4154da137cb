import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, THIS_YEAR } from "../support/portfolio.ts";

const { serve, folder } = useMainstay();

let mainstay: Installation;
let partnerId: string;
let client: ApiClient;
let stranger: ApiClient;
beforeAll(async () => {
  const server = await serve();
  mainstay = server;
  const acme = await server.createPartner("Acme");
  partnerId = acme.partner_id;
  client = server.as(acme);
  stranger = server.as(await server.createPartner("Umbrella"));
});

const CLAIM = { claim_type: "equipment_breakdown", date_of_loss: dateDaysFromToday(0), amount: 1234.56 };

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
      paid: 1000,
      outstanding: 234.56,
      incurred: 1234.56,
      deductible: 500,
      alae: null,
      catastrophe_code: "2541",
      reported_on: CLAIM.date_of_loss,
      closed_on: null,
      valued_at: null,
      voided: false,
      voided_at: null,
      void_reason: null,
      created_at: expect.stringMatching(/Z$/),
    };
    const optional = {
      claim_number: " A-17 ",
      carrier: "Hartford",
      paid: 1000,
      outstanding: 234.56,
      deductible: 500,
      catastrophe_code: "2541",
      reported_on: CLAIM.date_of_loss,
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
    ["date_of_loss", { date_of_loss: dateDaysFromToday(3) }],
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
    const days = [-400, -3, -2000, -30].map(dateDaysFromToday);
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
    const denied = { ...CLAIM, status: "denied", date_of_loss: dateDaysFromToday(-1) };
    const old = [-1461, -1827].map((days) => ({ ...CLAIM, date_of_loss: dateDaysFromToday(days) }));
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
    const { id } = await record({ ...CLAIM, date_of_loss: dateDaysFromToday(-1461) });
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
          date_of_loss: dateDaysFromToday(-1461),
          age_years: 4,
          base_likelihood_ratio: 1.8,
          effective_likelihood_ratio: 1.16,
          decay_remaining_years: 1,
          status: "active_scoring",
          reason: null,
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
      { ...CLAIM, date_of_loss: dateDaysFromToday(-1830) },
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

describe("a recorded claim", () => {
  // Rule: get-claim, update-claim
  test("is read and corrected, and scores follow", async () => {
    const { path, record, score, impact } = await insured();
    const { id } = await record({ ...CLAIM, claim_number: "A-1" });
    const raised = await score("boiler_burner");
    const { body: claim } = await client.get(`${path}/${id}`);
    expect(claim).toMatchObject({ id, claim_number: "A-1", amount_paid: 1234.56, partner: "Acme" });
    const { body: changed } = await client.put(`${path}/${id}`, {
      status: "denied",
      amount: 10,
      carrier: "X",
    });
    expect(changed).toEqual({
      ...claim,
      status: "denied",
      amount_paid: 10,
      carrier: "X",
      scoring_impact: 1,
      warnings: [],
    });
    expect(await score("boiler_burner")).toBeLessThan(raised);
    expect((await impact()).claims[0]).toMatchObject({ status: "expired_no_impact", reason: "denied" });
    expect((await client.put(`${path}/${id}`, {})).body).toEqual(changed);
    expect((await client.put(`${path}/${id}`, { status: "open", carrier: null })).body.carrier).toBeNull();
    expect(await score("boiler_burner")).toBe(raised);
    for (const body of [
      { status: "lost" },
      { status: null },
      { amount: -1 },
      { amount: null },
      { date_of_loss: "2026-02-30" },
      { claim_type: "" },
      { claim_type: "Water Damage" },
      { paid: -1 },
      { deductible: "1" },
      { closed_on: "1800-01-01" },
      { valued_at: dateDaysFromToday(2) },
    ])
      expect((await client.put(`${path}/${id}`, body, 400)).body.details).toHaveLength(1);
    await client.put(`${path}/CLM_01m7xtg343ff0b7c2d4e6g8hjk`, {}, 404);
    await client.get(`${path}/CLM_01m7xtg343ff0b7c2d4e6g8hjk`, {}, 404);
    const other = await insured();
    await client.get(`${other.path}/${id}`, {}, 404);
    await client.put(`${other.path}/${id}`, { status: "denied" }, 404);
    await stranger.put(`${path}/${id}`, { status: "denied" }, 404);
  });

  // Rule: update-claim, claim-warnings
  test("is sent back as it was answered, and warns of what contradicts itself or was not changed", async () => {
    const { path, record } = await insured();
    const { id } = await record(CLAIM);
    const put = async (body: object) => (await client.put(`${path}/${id}`, body)).body;
    const { body: read } = await client.get(`${path}/${id}`);
    expect(await put({ ...read, amount_paid: 777 })).toMatchObject({ amount_paid: 777, warnings: [] });
    expect(await put({ amount: 778, amount_paid: 778 })).toMatchObject({ amount_paid: 778 });
    expect(await put({ ...read, amount_paid: 778, amount: 779 })).toMatchObject({
      amount_paid: 779,
      warnings: [],
    });
    expect((await put({ amount: 778, amount_paid: 2 })).warnings).toEqual([
      "amount_paid is 778, by amount: send one of them",
    ]);
    const closed = { closed_on: CLAIM.date_of_loss, property_id: "P_x", incurred: 5 };
    expect((await put({ paid: 800, ...closed })).warnings).toEqual([
      `claim ${id}: paid, 800.00, is more than amount, 778.00: correct the one that is wrong`,
      `claim ${id}: closed_on is ${CLAIM.date_of_loss}, but status is open: correct the one that is wrong`,
      `property_id cannot be changed: it is still ${read.property_id}`,
      "incurred cannot be changed: it is 800, by paid and outstanding",
    ]);
    expect((await put({ amount: 800, status: "closed" })).warnings).toEqual([]);
    const { body: whole } = await client.get(`${path}/${id}`);
    expect(await put({ ...whole, outstanding: 50 })).toMatchObject({ incurred: 850, warnings: [] });
    const single = await record({ ...CLAIM, amount: 5, paid: 6 });
    expect(single.warnings).toEqual([expect.stringContaining("paid, 6.00, is more than amount, 5.00")]);
    expect((await record({ ...CLAIM, amount: 5, outstanding: 100 })).incurred).toBe(105);
  });

  // Rule: void-claim
  test("is voided once, no longer counts, and leaves its number", async () => {
    const { property, path, record, score, impact, list } = await insured();
    const before = await score("boiler_burner");
    const { id } = await record({ ...CLAIM, claim_number: "V-1" });
    expect(await score("boiler_burner")).toBeGreaterThan(before);
    const put = async (body: object, status = 200) => (await client.put(`${path}/${id}`, body, status)).body;
    const { body: claim } = await client.get(`${path}/${id}`);
    expect(claim).toMatchObject({ voided: false, voided_at: null, void_reason: null });
    expect((await put({ voided: true, status: "closed" }, 400)).details[0].field).toBe("voided");
    expect((await put({ voided: false, carrier: "X" })).carrier).toBe("X");
    const voided = await put({ voided: true });
    expect(voided).toEqual({
      ...claim,
      carrier: "X",
      scoring_impact: 1,
      voided: true,
      voided_at: expect.any(String),
      void_reason: null,
      warnings: [],
    });
    const withReason = await put({ voided: true, reason: "wrong house" });
    expect(withReason).toEqual({ ...voided, void_reason: "wrong house" });
    expect(await put({ voided: true, reason: "again" })).toEqual(withReason);
    expect((await put({ status: "closed" }, 409)).error).toBe(
      `Claim ${id} was voided and cannot be changed: record it again`,
    );
    expect(await score("boiler_burner")).toBe(before);
    expect(await list()).toMatchObject({ total: 0, claims: [] });
    expect((await client.get("/v1/search", { q: id })).body.results).toEqual([]);
    expect(await impact()).toMatchObject({ total_claims: 0, claims: [] });
    const underwriting = (await client.get(`/v1/property/${property.id}/underwriting`)).body;
    expect(underwriting.claims).toMatchObject({ count: 0, incurred: 0 });
    const again = await record({ ...CLAIM, claim_number: "V-1" });
    expect((await list()).total).toBe(1);
    const twice = await mainstay.json("claim", "void", again.id);
    expect(twice).toMatchObject({ id: again.id, voided: true, void_reason: null });
    const reasoned = await mainstay.json("claim", "void", again.id, "--reason", "twice");
    expect(reasoned).toEqual({ ...twice, void_reason: "twice" });
    const { entries } = await mainstay.json("audit", "--subject", again.id);
    expect(entries.map(({ action, detail }: Json) => [action, Object.keys(detail.after)])).toEqual([
      ["claim.void", ["void_reason"]],
      ["claim.void", ["voided", "voided_at"]],
    ]);
  });

  // Rule: claim-number
  test("keeps its number to itself in its property", async () => {
    const { path, record, property } = await insured();
    const { id } = await record({ ...CLAIM, claim_number: "A-1" });
    const second = await record(CLAIM);
    const message = `claim_number is already in use by claim ${id} of the property: update that one`;
    expect((await client.post(path, { ...CLAIM, claim_number: " A-1" }, 409)).body.error).toBe(message);
    const list = {
      claims: [
        { ...CLAIM, claim_number: "A-1" },
        { ...CLAIM, claim_number: "A-2" },
      ],
    };
    const { body } = await client.post(path, list, 201);
    expect(body.error_details).toEqual([{ index: 0, error: message }]);
    expect((await client.put(`${path}/${second.id}`, { claim_number: "A-1" }, 409)).body.error).toBe(message);
    const other = await insured();
    await other.record({ ...CLAIM, claim_number: "A-1" });
    expect(property.id).not.toBe(other.property.id);
  });

  test("that has no effect has the reason", async () => {
    const { record, impact } = await insured();
    await record(CLAIM);
    await record({ ...CLAIM, claim_type: "meteor_strike" });
    await record({ ...CLAIM, date_of_loss: "2010-01-01" });
    await record({ ...CLAIM, claim_type: "meteor_strike", status: "denied" });
    const reasons = (await impact()).claims.map((one: Json) => [one.status, one.reason]);
    expect(reasons.toSorted()).toEqual([
      ["active_scoring", null],
      ["expired_no_impact", "denied"],
      ["expired_no_impact", "expired"],
      ["expired_no_impact", "type_not_scored"],
    ]);
  });

  // Rule: update-claim, loss-run, void-claim
  test("is corrected by command and by a loss run, each in the audit log", async () => {
    const { property, record, list } = await insured();
    const { id } = await record({ ...CLAIM, claim_number: "A-1" });
    const changed = await mainstay.json(
      "claim",
      "update",
      id,
      "--set",
      "status=closed",
      "--set",
      "paid=12.5",
    );
    const { warnings, ...shown } = changed;
    expect(shown).toMatchObject({ id, status: "closed", paid: 12.5, incurred: 12.5 });
    expect(warnings).toEqual([]);
    expect(await mainstay.json("claim", "show", id)).toEqual(shown);
    const other = await insured();
    const odd = (await other.record(CLAIM)).id;
    const answered = (await client.put(`${other.path}/${odd}`, { paid: 2000 })).body.warnings;
    expect(answered).toEqual([
      `claim ${odd}: paid, 2000.00, is more than amount, 1234.56: correct the one that is wrong`,
    ]);
    const again = await mainstay.json("claim", "update", odd, "--set", "deductible=100");
    expect(again.warnings).toEqual(answered);
    const wrong = await mainstay.run("claim", "update", id, "--set", "color=red");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('unknown field "color"')]);
    const rows = [
      "property_id,claim_number,claim_type,date_of_loss,paid,outstanding,valued_at",
      `${property.id},A-1,equipment_breakdown,${CLAIM.date_of_loss},20,5,${CLAIM.date_of_loss}`,
      `${property.id},A-2,water_damage,2025-01-31,7,,`,
      `${property.id},,water_damage,2025-01-31,7,,`,
      `${property.id},A-3,water_damage,2025-01-31,,,`,
      "P_x,A-4,water_damage,2025-01-31,1,,",
    ];
    const file = join(folder(), "loss-run.csv");
    writeFileSync(file, rows.join("\n"));
    const run = (...options: string[]) =>
      mainstay.json("import", "--partner", partnerId, "--claims", file, "--rejects", folder(), ...options);
    expect((await run("--dry-run")).claims).toEqual({ read: 5, created: 1, updated: 0, unchanged: 1 });
    expect((await run()).claims).toEqual({ read: 5, created: 1, updated: 0, unchanged: 1 });
    const updated = await run("--update");
    expect(updated.claims).toEqual({ read: 5, created: 0, updated: 1, unchanged: 1 });
    expect(updated.rejects[0].reasons.map((one: Json) => one.error).toSorted()).toEqual([
      "Property not found: P_x",
      "amount or paid is required",
      expect.stringMatching(/^claim_number is required, since rows are matched on it; record .+ with POST/),
    ]);
    expect(updated.changes.map(({ field, from, to }: Json) => [field, from, to])).toEqual([
      ["amount", 1234.56, 20],
      ["paid", 12.5, 20],
      ["outstanding", null, 5],
      ["valued_at", null, CLAIM.date_of_loss],
    ]);
    const { claims } = await list();
    expect(claims.map((one: Json) => [one.claim_number, one.amount_paid, one.incurred])).toEqual([
      ["A-1", 20, 25],
      ["A-2", 7, 7],
    ]);
    const { entries } = await mainstay.json("audit", "--subject", id);
    expect(entries.map((one: Json) => [one.action, one.actor.split(":")[0]])).toEqual([
      ["claim.update", "cli"],
      ["claim.update", "cli"],
    ]);
    const stated = {
      status: "closed",
      amount: 900.5,
      carrier: "Acme Mutual",
      description: "Burst riser",
      paid: 900,
      outstanding: 0,
      deductible: 2500,
      alae: 120.25,
      catastrophe_code: "CAT-48",
      reported_on: "2025-02-01",
      closed_on: "2025-03-01",
      valued_at: "2025-04-01",
    };
    // Two valuations of one claim: the later one stays, in any order and again.
    const valued = (paid: number, day: string) =>
      `${property.id},A-2,water_damage,2025-01-31,${paid},,${day}`;
    writeFileSync(file, [rows[0], valued(9, "2025-06-01"), valued(8, "2025-04-01")].join("\n"));
    for (const changed of [1, 0])
      expect(await run("--update")).toMatchObject({
        claims: { updated: changed, unchanged: 2 - changed },
        older_valuations: 1,
        claims_to_check: 0,
      });
    const kind = `${property.id},A-2,ghost_damage,2025-01-31,9,,2025-06-01`;
    writeFileSync(file, [rows[0], kind].join("\n"));
    expect((await run("--update")).claims_to_check).toBe(1);
    writeFileSync(file, [rows[0], valued(9, "2025-06-01")].join("\n"));
    await run("--update");
    expect((await list()).claims.map((one: Json) => one.paid)).toEqual([20, 9]);
    const voiding = (number: string) => `${property.id},${number},water_damage,2025-01-31,true,twice`;
    const toVoid = "property_id,claim_number,claim_type,date_of_loss,voided,void_reason";
    writeFileSync(file, [toVoid, voiding("A-2"), voiding("A-0")].join("\n"));
    expect((await run()).claims).toEqual({ read: 2, created: 0, updated: 0, unchanged: 2 });
    const { claims: voids, changes } = await run("--update");
    expect(voids).toEqual({ read: 2, created: 0, updated: 1, unchanged: 1 });
    expect(changes).toMatchObject([{ field: "voided", from: false, to: true }]);
    expect((await run("--update")).claims).toMatchObject({ updated: 0, unchanged: 2 });
    expect((await list()).claims.map((one: Json) => one.claim_number)).toEqual(["A-1"]);
    const [columns, cells] = [Object.keys(stated), Object.values(stated)];
    const key = `${property.id},A-9,water_damage,2025-01-31`;
    writeFileSync(
      file,
      `${rows[0]!.split(",").slice(0, 4).join(",")},${columns.join(",")}\n${key},${cells.join(",")}\n`,
    );
    expect((await run()).claims.created).toBe(1);
    const { amount, ...others } = stated;
    const complete = (await list()).claims.find((one: Json) => one.claim_number === "A-9");
    expect(complete).toMatchObject({ ...others, amount_paid: amount, incurred: 900 });
    expect(entries[1].detail).toEqual({
      before: { status: "open", paid: null, incurred: null },
      after: { status: "closed", paid: 12.5, incurred: 12.5 },
    });
  });
});
