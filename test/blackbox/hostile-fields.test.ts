import { beforeAll, describe, expect, test } from "bun:test";
import { type ApiDocument, readApiDocument } from "../support/api-document.ts";
import { bodyWith, bodyWithTwice, placesOf } from "../support/bad-values.ts";
import { TEST_TIMEOUT_MS } from "../support/eventually.ts";
import { FIELD_VALUES, NAMES } from "../support/hostile-values.ts";
import type { Json } from "../support/json.ts";
import { goodBody, JSON_BODIES, kindIn } from "../support/json-bodies.ts";
import { expectNoLeak } from "../support/leaks.ts";
import { useMainstay } from "../support/mainstay.ts";
import { usePostgres } from "../support/postgres.ts";
import { type TwinServer, Twins, twinServer } from "../support/twins.ts";

/*
 * Sends every hostile value in every field of every body to a server on a data folder and to one on PostgreSQL. Both
 * respond alike, none with a fault or with internals of the server, and both have stored the same afterward. A run of
 * `check` sends some of these requests, always the same ones; CONTRIBUTING.md says how to send all of them.
 */

/** Sends all requests instead of some. */
const SENDS_ALL = process.env.HOSTILE_FIELDS === "all";
/** Every nth request is sent, of each body. */
const STEP = SENDS_ALL ? 1 : 53;
const TIMEOUT_MS = SENDS_ALL ? 1_200_000 : TEST_TIMEOUT_MS;

const { install } = useMainstay({ inFolder: true });
const { newInstallation } = usePostgres();
const document: ApiDocument = readApiDocument();
let servers: TwinServer[];

beforeAll(async () => {
  const installations = [install(), install({ storage: { url: await newInstallation() } })];
  servers = await Promise.all(
    installations.map(async (one) => {
      await one.start();
      return await twinServer(one);
    }),
  );
});

type Body = { method: "POST" | "PUT"; target: string; good: Json; paths: (readonly (string | number)[])[] };

/** The bodies of partners, with placeholders for IDs. */
const ofPartners: Body[] = JSON_BODIES.map((body) => {
  const ids = Object.fromEntries(["P_", "U_", "A_", "C_", "SE_"].map((kind) => [kind, `‹${kind}›`]));
  return {
    method: body.method as "POST" | "PUT",
    target: body.path.replace(/\{(\w+)\}/g, (_, name: string) => `‹${kindIn(body.path, name)}›`),
    good: goodBody(body, ids),
    paths: placesOf(document, body.schema).map(({ path }) => path),
  };
});

/**
 * The bodies of administrators, which the API document leaves out. Those fields are left out that set a time in the
 * future: it differs between two servers.
 */
const ofAdministrators: Body[] = (
  [
    ["POST", "/admin/partners", { name: "N", daily_budget: 5, webhook_url: null }],
    ["PUT", "/admin/partners/‹PARTNER_›", { daily_budget: 5, webhook_events: [], webhook_concurrency: 1 }],
    ["POST", "/admin/partners/‹PARTNER_›/webhook-test", { message: "M" }],
    ["POST", "/admin/partners/‹PARTNER_›/announce", { dry_run: true }],
    ["POST", "/admin/partners/‹PARTNER_›/purge", { confirm: "Nobody" }],
    ["PUT", "/admin/embeds/‹EMB_›", { label: "L", recipient: "R", passcode: null }],
    ["POST", "/admin/embeds", { property_id: "‹P_›", label: "L", recipient: null, passcode: null }],
    ["PUT", "/admin/partners/‹PARTNER_›/brand", { display_name: "N", color: "#0a7a6e", logo_png: null }],
    [
      "PUT",
      "/admin/partners/‹PARTNER_›/cost-book",
      {
        lines: [
          { type_id: "water_heater_gas", state: "NY", proactive_cost: 1850, reactive_cost: 3200, size: 50 },
        ],
      },
    ],
    ["PUT", "/admin/properties/‹P_›", { name: "N", retired_at: null, records_since: null }],
    ["POST", "/admin/properties/‹P_›/merge", { from: "P_00000000000000000000000000" }],
    ["PUT", "/admin/components/‹C_›", { proactive_cost: 1850, install_year: 1990 }],
    [
      "POST",
      "/admin/webhook-deliveries/resend",
      {
        partner_id: "‹PARTNER_›",
        from: "2020-01-01",
        to: "2020-01-02",
        status: "failed",
        error: "HTTP 500",
        dry_run: true,
      },
    ],
    ["POST", "/admin/model/proposal/apply", { proposal_id: "3-1795230000000", force: false }],
    ["POST", "/admin/model/revert", { model_version: "2+local.1" }],
  ] as const
).map(([method, target, good]) => ({ method, target, good, paths: pathsIn(good) }));

/** Returns the paths of all fields, also of those in lists. */
function pathsIn(value: Json, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    return [...(Array.isArray(value) ? [] : [place]), ...pathsIn(inner, place)];
  });
}

/** Returns every hostile body: a value in each field, a field given twice, and names that all objects have. */
function hostileBodies({ good, paths }: Body): string[] {
  const whole = JSON.stringify(good);
  return [
    ...paths.flatMap((path) => FIELD_VALUES.map((value) => bodyWith(good, path, value))),
    ...paths.map((path) => bodyWithTwice(good, path)),
    ...NAMES.flatMap((name) => [
      `{${JSON.stringify(name)}:${whole}}`,
      `${whole.slice(0, -1)},${JSON.stringify(name)}:{"is_demo":true,"enabled":true}}`,
    ]),
  ];
}

const bodies = [...ofPartners, ...ofAdministrators];
/** The bodies that one partner sends. A partner costs more than a few requests, and less than thousands. */
const groups: [name: string, group: readonly Body[]][] = SENDS_ALL
  ? bodies.map((body) => [`${body.method} ${body.target}`, [body]])
  : [
      ["partners", ofPartners],
      ["administrators", ofAdministrators],
    ];
const READS = [
  "/v1/properties?limit=200",
  "/v1/components?limit=200",
  "/v1/portfolio/summary",
  "/v1/events?since=2000-01-01&limit=200",
  "/admin/partners/‹PARTNER_›",
  "/admin/partners/‹PARTNER_›/export",
];

test("there are more than 10,000 hostile bodies", () => {
  expect(bodies.reduce((sum, body) => sum + hostileBodies(body).length, 0)).toBeGreaterThan(10_000);
});

describe("hostile values in every field", () => {
  // Rule: wrong-field-named, rejected-write-unchanged
  test.each(groups)(
    "of %s are refused or stored alike on both engines",
    async (name, group) => {
      const twins = await Twins.of(servers, name);
      for (const body of group) {
        // Starts elsewhere for each body, so that a run sends each value to some field.
        const start = 7 * bodies.indexOf(body);
        const chosen = hostileBodies(body).filter((_, nth) => (nth + start) % STEP === 0);
        for (const raw of chosen) await send(twins, body, raw);
      }
      for (const target of READS) {
        const { status, text } = await twins.ask({
          method: "GET",
          target,
          headers: { "x-request-id": "reads" },
        });
        // A hostile value may be a daily limit of no calls.
        expect([target, [200, 429].includes(status)], text.slice(0, 300)).toEqual([target, true]);
      }
      await twins.compareDeliveries();
    },
    TIMEOUT_MS,
  );
});

async function send(twins: Twins, { method, target }: Body, raw: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  // Thousands of units take long to compare, and show nothing more.
  const body = raw.replace(/"unit_count":\d{3,6}(?=[,}])/, '"unit_count":12');
  const { status, text } = await twins.ask({ method, target, headers, body });
  expect(status, `${raw.slice(0, 300)}: ${text.slice(0, 300)}`).toBeLessThan(500);
  if (status >= 400) expectNoLeak(text);
}
