import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { GOLDEN_FLEET } from "../support/golden-fleet.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { dateDaysFromToday } from "../support/portfolio.ts";
import { testOnSqlite } from "../support/postgres.ts";
import { leftBy } from "../support/released-database.ts";

const { serve, install, folder } = useMainstay();
const AS_OF = "2026-06-30";

/** The fleet on record, which nothing changes. */
const recorded = install();
/** A copy with a server. No calibration is active between the tests of two `describe`. */
const server = install();
let partner: Partner;

async function record(): Promise<void> {
  partner = await recorded.createPartner("Acme");
  const files = ["properties", "appliances", "service_events"].map((name) =>
    join(GOLDEN_FLEET, `${name}.csv`),
  );
  await recorded.json(
    ...["import", "--partner", partner.partner_id, "--properties", files[0]!],
    ...["--appliances", files[1]!, "--service-events", files[2]!],
  );
}

async function allComponents(client: ApiClient): Promise<Json[]> {
  const pages = [0, 200, 400, 600, 800].map((offset) =>
    client.get(`/v1/components?limit=200&offset=${offset}`),
  );
  return (await Promise.all(pages)).flatMap(({ body }) => body.components);
}

/** Returns the output of a calibration, and the page that it draws. */
async function calibration(installation: Installation): Promise<{ stdout: string; page: string }> {
  const page = join(installation.folder, "calibration.html");
  const { code, stdout, stderr } = await installation.run(
    ...["calibrate", "--as-of", AS_OF, "--report", page, "--json"],
  );
  if (code !== 0) throw new Error(`no calibration:\n${stderr}`);
  return { stdout, page: readFileSync(page, "utf8") };
}

const expected: Json = JSON.parse(readFileSync(join(GOLDEN_FLEET, "expected.json"), "utf8"));
let admin: ApiClient;
/** The first of the fleet on record. */
let first: { stdout: string; page: string };
beforeAll(async () => {
  await record();
  first = await calibration(recorded);
  await recorded.copyTo(server);
  await server.start();
  admin = (await createAdministrator(server)).client;
});

const model = () => admin.get("/admin/model");
const metric = async (name: string) => {
  const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
  return text.split("\n").find((line) => line.startsWith(`mainstay_model_${name}`));
};

describe("mainstay calibrate", () => {
  // Rule: calibrate-report
  test("prints the calibration of a fleet, equal to that of an independent implementation, and changes nothing", async () => {
    const found = JSON.parse(first.stdout);
    expect(found).toMatchObject({
      failures: expected.failures,
      lives: expected.lives,
      frailty_shape: expected.frailty_shape,
      better: true,
      applied: false,
      model_version: "3",
    });
    expect(found.kinds).toHaveLength(expected.kinds.length);
    expect(found.shared_causes.classes).toHaveLength(8);
    expect(found.shared_causes.years.map(({ year }: Json) => year)).toEqual([
      ...[2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025],
    ]);
    expect(first.page).toContain("<h2>Shared causes</h2>");
    for (const kind of expected.kinds) {
      const { component_def_id, life_factor, failures } = kind;
      const own = found.kinds.find((one: Json) => one.component_def_id === component_def_id);
      expect(own.failures).toBe(failures);
      expect(Math.abs(own.life_factor - life_factor)).toBeLessThan(1e-4);
    }
    for (const name of ["condition", "repairs"])
      expect(Math.abs(found.evidence_strength[name] - expected.evidence_strength[name])).toBeLessThan(1e-4);
    const { validation } = found;
    expect([validation.from, validation.to]).toEqual(["2025-06-30", AS_OF]);
    expect(validation.after.concordance).toBeGreaterThan(validation.before.concordance);
    expect(validation.after.brier_skill).toBeGreaterThan(validation.before.brier_skill);
    expect(validation.log_loss_difference.high).toBeLessThan(0);
    for (const { begun, early, ended, late } of Object.values<Json>(validation.failure_windows)) {
      expect(begun).toBeGreaterThan(ended);
      // The fleet's true lives differ from the default ones, so that fewer windows hold than claimed.
      expect(early / begun).toBeWithin(0.02, 0.25);
      expect(late).toBeLessThanOrEqual(ended);
    }
    expect(first.page).toContain("Failed before the window");
    expect(await recorded.json("calibrate", "--list")).toEqual({ model_version: "3", versions: [] });
  });

  // Rule: calibrate-order
  test("prints and draws the same bytes for the same records imported in any order", async () => {
    const other = install();
    const { partner_id } = await other.createPartner("Reversed");
    const files = ["properties", "appliances", "service_events"].map((name) => {
      const [head, ...rows] = readFileSync(join(GOLDEN_FLEET, `${name}.csv`), "utf8")
        .trim()
        .split(/\r?\n/);
      const file = join(other.folder, `${name}.csv`);
      writeFileSync(file, `${[head, ...rows.reverse()].join("\n")}\n`);
      return file;
    });
    await other.json(
      ...["import", "--partner", partner_id, "--properties", files[0]!],
      ...["--appliances", files[1]!, "--service-events", files[2]!],
    );
    const found = await calibration(other);
    expect(found.stdout).toContain("validation");
    expect(found).toEqual(first);
  });

  test("writes a self-contained page with the numbers of each chart in a table", () => {
    const html = first.page;
    expect(html).not.toMatch(/<script|https?:|@import|url\(/);
    const pictures = html.match(/<svg [^>]*role="img"/g)!.length;
    expect(pictures).toBeGreaterThanOrEqual(6);
    expect(html.match(/<details>/g)).toHaveLength(pictures);
    expect(html).toContain("Proven better than the default model");
    expect(html).toMatch(
      /forecasts failures better: the error of its forecasts \(log loss\) is \d+% smaller\./,
    );
    expect(html).toContain("Jun 30, 2026");
  });
});

describe("an applied calibration", () => {
  let client: ApiClient;
  let plain: number[];
  let applied: Json;
  const scores = async (): Promise<number[]> =>
    (await allComponents(client)).map(({ failure_probability_12m }) => failure_probability_12m);

  beforeAll(async () => {
    client = server.as(partner);
    plain = await scores();
    applied = await server.json("calibrate", "--apply");
  });

  // Rule: calibrate-versions, calibrate-scores
  test("is in use and can be checked, and changes no score before the next snapshot", async () => {
    expect(applied).toMatchObject({ applied: true, better: true, model_version: "3+local.1" });
    expect(await scores()).toEqual(plain);
    const { body } = await model();
    expect(body).toMatchObject({ model_version: "3+local.1", plain_model: "3", latest_check: null });
    expect(body.versions).toMatchObject([
      { model_version: "3+local.1", in_use: true, proven: true, forced: false, failures: applied.failures },
    ]);
    expect(await metric("info")).toBe('mainstay_model_info{version="3+local.1",proof="proven"} 1');
    expect(await metric("worse_than_default")).toBe("mainstay_model_worse_than_default 0");

    const check = await server.json("calibrate", "--check");
    expect(check).toMatchObject({ model_version: "3+local.1", worse_than_plain: false });
    expect((await model()).body.latest_check).toEqual(check);
  });

  describe("at the next snapshot", () => {
    let explained: Json[];

    beforeAll(async () => {
      await server.json("snapshot");
      const { stdout } = await server.run("scores", "--partner", partner.partner_id, "--format", "ndjson");
      const lines: Json[] = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const places = [0, 1, 2, 3].map((nth) => Math.floor((nth * lines.length) / 4));
      const riskiest = lines.toSorted((a, b) => b.risk_score - a.risk_score || b.q - a.q).slice(0, 20);
      explained = await Promise.all(
        [...places.map((place) => lines[place]!), ...riskiest].map(
          async ({ component_id }) => (await admin.get(`/admin/components/${component_id}/explanation`)).body,
        ),
      );
    });

    // Rule: calibrate-scores
    test("changes the scores of most components", async () => {
      const calibrated = await scores();
      expect(calibrated.filter((score, i) => score !== plain[i]).length).toBeGreaterThan(plain.length / 2);
    });

    // Rule: explain-component
    test("is explained with the version, the factor of the component type and the fitted strengths of evidence", () => {
      const factors = new Map<string, number>(
        applied.kinds.map((kind: Json) => [kind.component_def_id, kind.life_factor]),
      );
      for (const one of explained) {
        expect(one.model_version).toBe("3+local.1");
        expect(one.shown).toEqual({ risk_score: one.score.risk_score, risk_tier: one.score.risk_tier });
        expect(one.life.kind_factor).toBeCloseTo(factors.get(one.component.component_def_id) ?? 1, 6);
        expect(one.hazard.strength_condition).toBeCloseTo(applied.evidence_strength.condition, 6);
        expect(one.hazard.strength_repairs).toBeCloseTo(applied.evidence_strength.repairs, 6);
        for (const { kind, strength } of one.evidence)
          expect(strength).toBe(
            kind === "condition"
              ? one.hazard.strength_condition
              : kind === "repair" || kind === "emergency_repair"
                ? one.hazard.strength_repairs
                : 1,
          );
      }
      const kinds = new Set(explained.flatMap(({ evidence }) => evidence.map(({ kind }: Json) => kind)));
      for (const kind of ["condition", "repair"]) expect(kinds).toContain(kind);
      expect(explained.some(({ life }) => life.frailty > 1)).toBe(true);
    });

    // Rule: explain-component
    test("is explained with parts that add up to the score", () => {
      for (const { life, rate, age, evidence, hazard, score } of explained) {
        const near = (found: number, made: number) =>
          expect(Math.abs(found - made)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(made)));
        near(life.frailty_factor, life.frailty ** (-1 / life.weibull_shape));
        near(
          life.calibrated_median_years,
          life.median_life_years * life.brand_factor * life.kind_factor * life.frailty_factor,
        );
        near(
          life.weibull_scale_years,
          life.calibrated_median_years / Math.log(2) ** (1 / life.weibull_shape),
        );
        const ratios: Json[] = evidence.filter(({ acute_hazard }: Json) => acute_hazard === 0);
        for (const { ratio, strength, factor } of ratios) near(factor, ratio ** strength);
        const product = (of: Json[]) => of.reduce((made, { factor }) => made * factor, 1);
        const isCascade = ({ kind }: Json) => kind === "cascade";
        const own = product(ratios.filter((one) => !isCascade(one)));
        const cascades = Math.min(product(ratios.filter(isCascade)), hazard.cascades_highest);
        const ratio = Math.min(Math.max(own * cascades, hazard.lowest), hazard.highest);
        near(hazard.hazard_ratio, ratio);
        const years = (rate.years_per_year * score.period_days) / 365.25;
        const cumulative = (at: number) => (at / life.weibull_scale_years) ** life.weibull_shape;
        const byAge =
          cumulative(age.effective_virtual_age_years + years) - cumulative(age.effective_virtual_age_years);
        const q = 1 - Math.exp(-ratio * byAge - hazard.acute_hazard * score.acute_share);
        near(score.q, q);
        expect(score.risk_score).toBe(Math.min(0.99, Math.round((1 - (1 - q) ** 5) * 100) / 100));
      }
    });

    // Rule: calibrate-versions, calibrate-scores
    test("can be reverted, after which components with new events have the default model's scores at once", async () => {
      expect(await server.json("calibrate", "--revert")).toEqual({
        reverted: "3+local.1",
        model_version: "3",
      });
      expect((await model()).body).toMatchObject({ model_version: "3", versions: [{ in_use: false }] });
      expect(await metric("info")).toBe('mainstay_model_info{version="3",proof="default"} 1');
      const audit: Json[] = (await admin.get("/admin/audit")).body.entries;
      expect(audit.filter(({ action }) => action.startsWith("model.")).map(({ action }) => action)).toEqual([
        "model.revert",
        "model.apply",
      ]);
      const again = await server.run("calibrate", "--revert");
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("The default model is active")]);

      const calibrated = await scores();
      expect(calibrated).not.toEqual(plain);
      const appliance = (await client.get("/v1/appliances?limit=1")).body.appliances[0];
      await client.post("/v1/service-events/bulk", {
        events: [{ appliance_id: appliance.id, event_type: "Other", date: dateDaysFromToday(0) }],
      });
      const components = await allComponents(client);
      const isOwn = (_: unknown, i: number) => components[i]!.appliance_id === appliance.id;
      const own = (await scores()).filter(isOwn);
      expect(own).not.toEqual([]);
      expect(own).toEqual(plain.filter(isOwn));
      expect(own).not.toEqual(calibrated.filter(isOwn));
    });
  });
});

describe("a day with a snapshot, after a calibration is applied", () => {
  const trendsOf = async (client: ApiClient, ids: readonly string[]) =>
    await Promise.all(ids.map(async (id) => (await client.get(`/v1/components/${id}/trend`)).body.trend));
  let client: ApiClient;
  /** The tier changes by the calibration that its first snapshot held back. */
  let heldBack: number;
  const forecasts = async () =>
    (await allComponents(client)).map(({ id, failure_probability_12m }) => [id, failure_probability_12m]);

  beforeAll(async () => {
    client = server.as(partner);
    // With the default model: no calibration is active.
    await server.json("snapshot");
  });

  // Rule: calibrate-scores
  test("gets another snapshot with the calibration, which sends no events and keeps the trend points; also after a revert", async () => {
    const plain = await forecasts();
    const ids = plain.slice(0, 12).map(([id]) => id as string);
    const trends = await trendsOf(client, ids);
    await server.json("calibrate", "--apply");
    const taken = await server.json("snapshot");
    expect(taken).toMatchObject({ components: plain.length, announced: 0, queued: 0 });
    heldBack = taken.held_back;
    expect(heldBack).toBeGreaterThan(0);
    const fitted = await forecasts();
    expect(fitted.filter(([, chance], i) => chance !== plain[i]![1]).length).toBeGreaterThan(
      plain.length / 2,
    );
    expect(await trendsOf(client, ids)).toEqual(trends);
    expect((await server.run("snapshot")).stdout).toContain("already exists. No changes.");
    expect(await forecasts()).toEqual(fitted);

    await server.json("calibrate", "--revert");
    expect(await server.json("snapshot")).toMatchObject({ components: plain.length, announced: 0 });
    expect(await forecasts()).toEqual(plain);
    expect(await trendsOf(client, ids)).toEqual(trends);
  });

  // Rule: calibrate-scores, sent-once
  test("sends events for tier changes by the calibration if requested, and for new components always", async () => {
    await server.json("calibrate", "--apply");
    const reported = await server.json("snapshot", "--announce-model-change");
    expect(reported).toMatchObject({ announced: heldBack, held_back: 0 });

    const [property] = (await client.get("/v1/properties?limit=1")).body.properties;
    const { body } = await client.post("/v1/appliances", {
      property_id: property.id,
      type_id: "sump_pump",
      install_year: 1990,
    });
    const added = (await allComponents(client)).filter((one) => one.appliance_id === body.id);
    const elevated = added.filter(({ risk_tier }) => risk_tier !== "GOOD");
    expect(elevated).not.toEqual([]);
    await server.json("calibrate", "--revert");
    const taken = await server.json("snapshot");
    expect(taken.held_back).toBeGreaterThan(0);
    expect(taken.announced).toBe(elevated.length);
    const [trend] = await trendsOf(client, [elevated[0]!.id]);
    expect(trend).toHaveLength(1);
  });
});

/** Shortens the fleet's record to a little more than a year by today: about fifty failures, few of them old. */
async function youngFleet(server: Installation): Promise<void> {
  const { partner_id } = await server.createPartner("Young");
  const later = Math.round((Date.parse(dateDaysFromToday(0)) - Date.parse("2018-03-15")) / 86_400_000);
  const today = dateDaysFromToday(0);
  const moved = (day: string) => new Date(Date.parse(day) + later * 86_400_000).toISOString().slice(0, 10);
  const into = folder();
  const write = (name: string, keep: (line: string) => boolean = () => true) => {
    const lines = readFileSync(join(GOLDEN_FLEET, name), "utf8").trim().split(/\r?\n/);
    const own = lines.map((line) => line.replace(/\d{4}-\d\d-\d\d/, moved)).filter(keep);
    writeFileSync(join(into, name), `${own.join("\n")}\n`);
    return join(into, name);
  };
  await server.json(
    ...["import", "--partner", partner_id],
    ...["--properties", write("properties.csv"), "--appliances", write("appliances.csv")],
    ...[
      "--service-events",
      write("service_events.csv", (line) => (/\d{4}-\d\d-\d\d/.exec(line)?.[0] ?? "") <= today),
    ],
  );
}

describe("an unproven calibration", () => {
  // Rule: calibrate-versions
  test("is rejected without changes unless forced, and a forced version is permanently marked as unproven", async () => {
    const young = await serve();
    await youngFleet(young);
    const refused = await young.run("calibrate", "--apply", "--json");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ better: false, applied: false, model_version: "3" });
    expect(JSON.parse(refused.stderr).error).toContain("not proven better");
    expect(await young.json("calibrate", "--list")).toEqual({ model_version: "3", versions: [] });

    const forced = await young.json("calibrate", "--apply", "--force");
    expect(forced).toMatchObject({ better: false, applied: true, model_version: "3+local.1" });
    const { versions } = await young.json("calibrate", "--list");
    expect(versions).toMatchObject([
      { model_version: "3+local.1", proven: false, forced: true, in_use: true },
    ]);
    const text = await (await fetch(`${young.adminUrl}/metrics`)).text();
    expect(text).toContain('mainstay_model_info{version="3+local.1",proof="forced"} 1');
  });
});

// Rule: calibrate-refusals
describe("a calibration without enough data", () => {
  test("is rejected with fewer than 50 failures, and with less than a year of records", async () => {
    const early = await recorded.run("calibrate", "--as-of", "2018-01-15");
    expect([early.code, early.stdout]).toEqual([1, ""]);
    expect(early.stderr).toMatch(/\d+ failures are on record; calibration needs at least 50/);
    const nothing = install();
    await nothing.createPartner("Empty");
    const empty = await nothing.run("calibrate");
    expect([empty.code, empty.stderr]).toEqual([
      1,
      expect.stringContaining("less than one year of service history is recorded"),
    ]);
  });

  testOnSqlite("is refused, in any of its acts, where another model has scored the database", async () => {
    const { left } = leftBy("schema-1", install());
    await left.json("migrate");
    for (const act of [[], ["--apply"], ["--apply", "--force"], ["--check"]]) {
      const refused = await left.run("calibrate", ...act);
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(refused.stderr).toContain("was scored by model 1, but this executable has model 3");
      expect(refused.stderr).toContain("mainstay snapshot");
    }
    await left.json("snapshot");
    const thin = await left.run("calibrate");
    expect(thin.stderr).not.toContain("scored by model");
  });

  test("is incorrect usage if options exclude each other", async () => {
    const cases = [
      ["--force"],
      ["--apply", "--revert"],
      ["--apply", "--as-of", "2024-01-01"],
      ["--list", "--report", "r.html"],
    ];
    const idle = install();
    await idle.createPartner("Idle");
    for (const options of cases) expect((await idle.run("calibrate", ...options)).code).toBe(2);
    expect(existsSync(join(idle.folder, "r.html"))).toBe(false);
  });
});
