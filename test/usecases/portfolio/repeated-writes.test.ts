import { expect, test } from "bun:test";
import { dayOf } from "../../../src/domain/time.ts";
import { DailyCallLimits } from "../../../src/http/request-daily-call-limits.ts";
import type { Store } from "../../../src/store/store.ts";
import { announceCurrentTiers } from "../../../src/usecases/announcements/announce-current-tiers.ts";
import { EmbedViewCounter } from "../../../src/usecases/embeds/count-embed-views.ts";
import { createEmbed } from "../../../src/usecases/embeds/create-or-revoke-embed.ts";
import { importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import { renewChangedPlans } from "../../../src/usecases/planning/load-portfolio-plan.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { withRetriedWrites } from "../../support/retried-writes.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
const yieldNow = async () => {};
const ALL = { limit: 1000, offset: 0 };

const PROPERTIES =
  "partner_property_id,name,address,state\nE,Elm Court,1 Elm St,ny\nO,Oak Court,2 Oak St,nj\n";
const HEATER = "E,water_heater_gas,1990,,A\n";
const appliancesFile = (heaters: number) =>
  `partner_property_id,type_id,install_year,serial,model\n${HEATER.repeat(heaters)}O,roof,1985,R1,\n`;
const EVENTS = `partner_property_id,serial,event_type,date,component_def_id,total_cost,notes
O,R1,Repair,2024-05-01,,120.50,leaking
O,R1,Inspection,2025-05-01,,,
`;

/** Runs all kinds of writes one after another; returns what a reader finds afterward. */
async function use(fixture: PortfolioFixture, store: Store) {
  const { partner, clock } = fixture;
  const reported: string[] = [];
  store.onOutbox((partnerIds) => reported.push(...partnerIds));
  const source = (name: string, text: string) => ({ name, text });
  const bring = (heaters: number) =>
    importPortfolio({
      store,
      knowledge,
      partner,
      clock,
      actor: "cli:test",
      sources: {
        properties: source("properties.csv", PROPERTIES),
        appliances: source("appliances.csv", appliancesFile(heaters)),
        serviceEvents: source("events.csv", EVENTS),
      },
    });
  const imports = [await bring(2), await bring(5), await bring(3)].map(
    ({ appliances, components, serviceEvents, rejected }) => ({
      appliances,
      components,
      serviceEvents,
      rejected,
    }),
  );
  const monotonicMs = () => 0;
  const day = dayOf(NOW);
  const { durationMs: _, ...snapshot } = await takeSnapshot(
    { store, knowledge, clock, monotonicMs, yieldNow },
    day,
  );
  const administration = { ...fixture.administration, store };
  const state = await announceCurrentTiers({ administration, knowledge, yieldNow }, partner, false);
  const renewed = await renewChangedPlans({ store, knowledge, clock, yieldNow }, partner.id);
  const budgets = new DailyCallLimits(store, clock);
  for (let call = 0; call < 20; call++) await budgets.take({ ...partner, dailyBudget: 18 });
  const [elm] = await store.read.properties.ofAddressAfter(
    partner.id,
    { name: "Elm Court", address: "1 Elm St" },
    0,
    1,
  );
  const { embed } = await createEmbed(administration, { propertyId: elm!.id, days: null });
  const views = new EmbedViewCounter(store);
  const address = "203.0.113.7";
  views.add(embed.id, { viewedAt: NOW, address });
  views.add(embed.id, { viewedAt: NOW + 1, address });
  await views.flush();

  const { read } = store;
  const appliances = await read.appliances.page(partner.id, ALL);
  const components = await read.components.page(partner.id, ALL);
  const events = await read.eventLog.page(partner.id, 1, 1000);
  return {
    imports,
    snapshot,
    state,
    renewed,
    isNotified: reported.length > 0,
    totals: { ...(await read.totals.ofPartner(partner.id)), partnerId: "" },
    appliances: appliances.map(({ seq, typeId, serial }) => [seq, typeId, serial]),
    components: components.map(({ seq, defId, riskScore, announcedTier }) => [
      ...[seq, defId, riskScore, announcedTier],
    ]),
    events: events.map(({ seq, kind }) => [seq, kind]),
    areDatedInOrder: events.every(
      ({ createdAt }, nth) => nth === 0 || createdAt > events[nth - 1]!.createdAt,
    ),
    deliveries: await read.deliveryLog.count({ partnerId: partner.id }),
    taken: await read.budgets.taken(partner.id, day),
    views: (await read.embeds.find(embed.id))!.views,
    viewLog: await read.embeds.recentViews(embed.id),
    audits: await read.audit.count(),
    dueCents: (await read.plans.ofPartner(partner.id)).sums.due.cents,
  };
}

test("a write that runs twice before its commit has the same result as one that runs once", async () => {
  const once = await open(NOW, "http://hooks.test/");
  const twice = await open(NOW, "http://hooks.test/");
  const expected = await use(once, once.store);
  expect(expected.imports.map(({ appliances }) => appliances.created)).toEqual([3, 3, 0]);
  expect(expected).toMatchObject({ taken: 18, views: 2, isNotified: true, areDatedInOrder: true });
  expect(expected.dueCents).toBeGreaterThan(0);
  expect(await use(twice, withRetriedWrites(twice.store))).toEqual(expected);
});
