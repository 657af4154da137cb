import { describe, expect, test } from "bun:test";
import { ENVIRONMENT_FACTORS } from "../../src/domain/domain-knowledge.ts";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import { FILES } from "../../src/knowledge/knowledge-files.ts";
import { readKnowledge } from "../../src/knowledge/read-knowledge.ts";

const knowledge = embeddedKnowledge();

/** Returns a file's content with one change. */
// biome-ignore lint/suspicious/noExplicitAny: a test may break any part of any file
type Draft = any;
function altered(name: string, change: (file: Draft) => void): () => unknown {
  const file = structuredClone(FILES[name]) as Draft;
  change(file);
  return () => readKnowledge({ ...FILES, [name]: file });
}

const JUDGED = { source: "judgement", kind: "estimate" } as const;

test("the embedded files equal the validated ones", () => {
  // Functions are equal only to themselves.
  const data = (of: typeof knowledge) =>
    JSON.stringify(of, (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value));
  expect(data(knowledge)).toBe(data(readKnowledge(FILES)));
});

describe("the knowledge base", () => {
  test("has 30 appliance types with 169 components", () => {
    expect(knowledge.types.size).toBe(30);
    expect(knowledge.components.size).toBe(169);
  });

  test("has the component counts that the API promises", () => {
    const counts = (ids: string) => ids.split(" ").map((id) => knowledge.type(id).components.length);
    expect(counts("hvac_central hvac_heat_pump hvac_mini_split refrigerator")).toEqual([8, 7, 6, 8]);
    expect(counts("water_heater_gas water_heater_electric water_heater_tankless")).toEqual([6, 7, 6]);
    expect(counts("washer dryer_electric dryer_gas dishwasher range_gas range_electric")).toEqual([
      6, 6, 7, 6, 6, 6,
    ]);
    expect(counts("electrical_panel boiler roof pool_equipment elevator fire_suppression")).toEqual([
      5, 6, 6, 6, 5, 5,
    ]);
  });

  test("has 60 cascade rules, 3 of them across types, without cycles", () => {
    expect(knowledge.cascades).toHaveLength(60);
    expect(knowledge.cascades.filter((rule) => rule.acrossTypes).map((rule) => rule.downstream)).toEqual([
      "wh_gas_tp_valve",
      "wh_elec_tp_valve",
      "washer_supply_hoses",
    ]);
    expect([...knowledge.cascadingTypes]).toEqual(["plumbing_supply"]);
  });

  // Rule: smart-types
  test("has 16 claim types, 40 word groups and 27 smart event types", () => {
    expect(knowledge.claimTypes.size).toBe(16);
    expect(knowledge.keywords.groups).toHaveLength(40);
    expect(knowledge.smartEvents.size).toBe(27);
    expect(knowledge.smartEvent("normal")!.ratios).toBeNull();
  });

  test("has 43 inspection regimes for 28 types, and none for the others", () => {
    const all = [...knowledge.types.keys()].flatMap((id) => knowledge.regimes(id));
    expect(all).toHaveLength(43); // 45 rows, two of which say that there is none
    expect(knowledge.regimes("range_electric")).toEqual([]);
    expect(knowledge.regimes("garbage_disposal")).toEqual([]);
    expect(knowledge.regimes("elevator").map((regime) => regime.intervalMonths)).toEqual([12, 60]);
  });

  test("distinguishes published, derived and estimated lives", () => {
    const kinds = [...knowledge.components.values()].map((def) => def.provenance.medianLife.kind);
    const count = (kind: string) => kinds.filter((other) => other === kind).length;
    expect([count("published"), count("derived"), count("estimate")]).toEqual([71, 51, 47]);
  });

  test("has every field of a component that scoring and costs need", () => {
    expect(knowledge.component("wh_gas_tank")).toEqual({
      id: "wh_gas_tank",
      typeId: "water_heater_gas",
      name: "Glass-lined tank",
      system: "plumbing",
      vital: false,
      medianLifeYears: 12,
      weibullShape: 3.2,
      proactiveCents: 145_000,
      emergencyCents: 232_000,
      damage: { peril: "water", probability: 0.024, cents: 800_000 },
      reactiveCents: 251_200,
      maintenanceIntervalMonths: 12,
      environment: ["hard_water"],
      wear: "use",
      restoredBy: ["preventive", "cleaning"],
      replaced: "with_appliance",
      fixedLifeYears: null,
      safety: false,
      provenance: {
        medianLife: { source: "lutz_2011", kind: "published" },
        weibullShape: JUDGED,
        proactiveCost: JUDGED,
        emergencyCost: JUDGED,
        damage: JUDGED,
        maintenanceInterval: JUDGED,
        environment: JUDGED,
        fixedLife: null,
      },
    });
    expect(knowledge.component("elev_machine").vital).toBe(true);
    expect(knowledge.component("fa_batteries").vital).toBe(true);
    expect(knowledge.component("fridge_control_board").maintenanceIntervalMonths).toBeNull();
  });

  test("values an appliance at the smaller of its parts' sum and the whole unit", () => {
    expect(knowledge.type("water_heater_gas").rcvCents).toBe(150_000); // parts: 2,950 USD
    expect(knowledge.type("boiler").rcvCents).toBe(1_393_000); // whole unit: 16,000 USD
  });

  test("throws for an unknown id, and returns undefined from the optional look-ups", () => {
    expect(() => knowledge.component("flux_capacitor")).toThrow("no component flux_capacitor");
    expect(() => knowledge.type("delorean")).toThrow("no appliance type delorean");
    expect(knowledge.findType("delorean")).toBeUndefined();
    expect(knowledge.claimType("meteor_strike")).toBeUndefined();
    expect(knowledge.smartEvent("moon_phase")).toBeUndefined();
  });

  test("is read once", () => {
    expect(embeddedKnowledge()).toBe(knowledge);
  });
});

describe("brands", () => {
  test("have tiers by family", () => {
    expect(knowledge.brandTier("hvac_central", "Trane")).toBe("premium");
    expect(knowledge.brandTier("hvac_central", "Amana")).toBe("standard");
    expect(knowledge.brandTier("dishwasher", "Amana")).toBe("budget");
    expect(knowledge.brandTier("parking_lot", "Trane")).toBeUndefined();
  });

  test("match in any case, spacing, accents and punctuation", () => {
    for (const brand of ["A. O. Smith", "AO Smith", "a.o.  smith ", "A.O.SMITH"])
      expect(knowledge.brandTier("water_heater_gas", brand)).toBe("standard");
    expect(knowledge.brandTier("hvac_central", "Day and Night")).toBe("standard");
    expect(knowledge.brandTier("boiler", "Slant Fin")).toBe("budget");
    expect(knowledge.brandTier("refrigerator", "Miéle")).toBe("premium");
  });

  test("match the longest name that they begin with", () => {
    expect(knowledge.brandTier("water_heater_gas", "Rheem Professional Classic")).toBe("premium");
    expect(knowledge.brandTier("water_heater_gas", "Rheem Performance")).toBe("standard");
    expect(knowledge.brandTier("refrigerator", "GE Profile")).toBe("standard");
    expect(knowledge.brandTier("refrigerator", "Gentle")).toBeUndefined();
  });

  test("have no tier if unknown", () => {
    for (const brand of ["Acme", "", "  ", "---"])
      expect(knowledge.brandTier("boiler", brand)).toBeUndefined();
    expect(knowledge.brandTier("boiler", null)).toBeUndefined();
  });

  test("on a hazard list name the components that they harm", () => {
    const hazard = (typeId: string, brand: string | null, model: string | null = null) => [
      ...knowledge.hazard(typeId, brand, model),
    ];
    const breakers = ["panel_branch_breakers", "panel_main_breaker", "panel_bus_enclosure"];
    for (const brand of [
      "Federal Pacific",
      "federal-pacific electric co.",
      "FPE",
      "Zinsco",
      "Sylvania-Zinsco",
    ])
      expect(hazard("electrical_panel", brand)).toEqual(breakers);
    expect(hazard("electrical_panel", null, "Stab-Lok 100A")).toEqual(breakers);
    expect(hazard("plumbing_supply", "Polybutylene")).toEqual(["plumb_supply_piping"]);
    expect(hazard("plumbing_drain", "Orangeburg")).toEqual(["drain_sewer_lateral"]);
    expect(hazard("electrical_panel", "Square D")).toEqual([]);
    expect(hazard("refrigerator", "Zinsco")).toEqual([]);
  });
});

describe("places", () => {
  test("have values for all 50 states and the District of Columbia", () => {
    const states =
      "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH " +
      "OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY";
    const unknown = knowledge.environment(null);
    expect(states.split(" ").filter((state) => knowledge.environment(state) === unknown)).toEqual([]);
    expect(knowledge.environment("FL")).toMatchObject({ coastal: 1, freeze: 0, hard_water: 0.8 });
    expect(knowledge.environment("NM")).toMatchObject({ hard_water: 1 });
  });

  test("are 0.35 for all hazards if unknown, and in territories", () => {
    for (const state of [null, "PR", "GU", "VI", "AS", "MP", "??"])
      for (const factor of ENVIRONMENT_FACTORS) expect(knowledge.environment(state)[factor]).toBe(0.35);
  });
});

describe("an invalid file is rejected with its name and entry", () => {
  const boiler = "appliances/boiler.json";
  const faults: [string, string, (file: Draft) => void, string][] = [
    [
      "a number that is text",
      boiler,
      (f) => (f.components[2].weibull_shape.value = "2.5"),
      "components[2].weibull_shape.value",
    ],
    ["a misspelled key", boiler, (f) => (f.components[0].wears = "use"), "components[0].wears"],
    [
      "an unknown source",
      boiler,
      (f) => (f.components[1].median_life_years.source = "hearsay"),
      "components.1.median_life_years.source: unknown source hearsay",
    ],
    [
      "a component too few",
      boiler,
      (f) => f.components.pop(),
      "components: has 5; the partner API promises 6",
    ],
    [
      "a component of another type",
      boiler,
      (f) => (f.components[0].id = "wh_gas_tank"),
      "wh_gas_tank is listed twice",
    ],
    [
      "another type's id",
      boiler,
      (f) => (f.type_id = "furnace_gas"),
      "type_id: furnace_gas belongs in a file of its own name",
    ],
    [
      "a failure cheaper than a plan",
      boiler,
      (f) => (f.components[0].emergency_cost_usd.value = 1),
      "boiler_heat_exchanger: costs less after a failure",
    ],
    ["an unknown system", boiler, (f) => (f.system = "steam"), "system"],
    [
      "a cascade to nowhere",
      "cascades.json",
      (f) => (f.rules[0].downstream = "flux_capacitor"),
      "rules[0]: unknown component flux_capacitor",
    ],
    [
      "a cascade in a circle",
      "cascades.json",
      (f) => f.rules.push({ upstream: "wh_gas_tank", downstream: "plumb_prv", ratio: 1.2, reason: "x" }),
      "is part of a cycle",
    ],
    ["a cascade rule twice", "cascades.json", (f) => f.rules.push(f.rules[0]), "is listed twice"],
    [
      "a claim on nothing known",
      "claim-types.json",
      (f) => f.claim_types[0].component_ids.push("moat"),
      "water_damage: unknown component moat",
    ],
    [
      "a claim that forgets a system",
      "claim-types.json",
      (f) => (f.claim_types[0].systems = ["plumbing"]),
      "water_damage: affects hvac_central but not hvac",
    ],
    [
      "an era of nothing known",
      "eras.json",
      (f) => f.eras[0].component_ids.push("moat"),
      "galvanized_steel_pipe: unknown component moat",
    ],
    [
      "an era that ends before it begins",
      "eras.json",
      (f) => (f.eras[1].to_year = 1970),
      "polybutylene_pipe: from_year 1978 is after to_year 1970",
    ],
    [
      "a regime for no type",
      "inspection-regimes.json",
      (f) => (f.regimes[3].type_id = "moat"),
      "regimes[3]: unknown appliance type moat",
    ],
    [
      "a regime that nothing resets",
      "inspection-regimes.json",
      (f) => (f.regimes[0].reset_by = []),
      "regimes[0]: interval_months and reset_by must be set together",
    ],
    [
      "a word in two groups",
      "keywords.json",
      (f) => f.groups[5].words.push("leak"),
      "crack: leak is listed twice",
    ],
    [
      "a ratio that points the wrong way",
      "keywords.json",
      (f) => (f.groups[0].ratio = 0.9),
      "leak: a ratio of 0.9 does not point up",
    ],
    [
      "severities out of order",
      "smart-events.json",
      (f) => (f.event_types[0].ratios.high = 1.5),
      "water_leak: ratios must start at 1 or more and rise",
    ],
    [
      "a brand family twice",
      "brands.json",
      (f) => f.families.push(f.families[0]),
      "hvac_central is listed twice",
    ],
    [
      "a hazard on nothing known",
      "brands.json",
      (f) => (f.hazards[0].component_ids = ["moat"]),
      "hazards[0]: unknown component moat",
    ],
    [
      "a state with a value too few",
      "states.json",
      (f) => f.states[0].values.pop(),
      "AL: has 6 values for 7 factors",
    ],
    ["a state twice", "states.json", (f) => f.states.push(f.states[1]), "AK is listed twice"],
    [
      "tiers that the interface does not promise",
      "model.json",
      (f) => (f.tiers.critical_from = 0.8),
      "tiers: the partner API promises 0.78 and 0.52",
    ],
    ["a source twice", "sources.json", (f) => f.sources.push(f.sources[0]), "lutz_2011 is listed twice"],
  ];
  for (const [fault, file, change, message] of faults)
    test(`for ${fault}`, () => {
      expect(altered(file, change)).toThrow(`Knowledge base, ${file}, `);
      expect(altered(file, change)).toThrow(message);
    });

  test("for a file that is missing", () => {
    const { "model.json": _, ...rest } = FILES;
    expect(() => readKnowledge(rest)).toThrow("Knowledge base, model.json, the file");
  });
});
