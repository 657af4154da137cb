import type { Day, Instant } from "../../src/domain/time.ts";
import type { Store } from "../../src/store/store.ts";

export type Read = () => Promise<unknown>;

/** A store with a portfolio and one record of each kind. */
export type Readable = {
  store: Store;
  partnerId: string;
  propertyId: string;
  applianceId: string;
  componentId: string;
  now: Instant;
  day: Day;
};

export const SLICE = { limit: 50, offset: 40 };
/** The filters of alerts. */
export const FILTERS = [{ system: "plumbing" }, { state: "NY" }, { system: "plumbing", state: "NY" }];

/** The reads of lists that may be as long as a portfolio; each must read only a page. */
export function listReads({
  store,
  partnerId,
  propertyId,
  applianceId,
  componentId,
  now,
  day,
}: Readable): Record<string, Read> {
  return {
    "the audit log": async () => {
      const period = { since: 0, until: now };
      await store.read.audit.page(SLICE, period);
      for (const by of [{ subject: "x" }, { actor: "x" }, { action: "job.run" }, { partnerId }])
        for (const within of [{}, period]) await store.read.audit.page(SLICE, { ...by, ...within });
    },
    "a partner's embeds": () => store.read.embeds.page(SLICE, { partnerId }),
    "a page of properties": () => store.read.properties.countedPage(partnerId, SLICE),
    "the list of properties": () => store.read.properties.page(partnerId, SLICE),
    "the portfolio summary": () => store.read.properties.summaryPage(partnerId, SLICE),
    "a page of properties with their sums": () => store.read.properties.portfolioPage(partnerId, SLICE),
    "the beginning of a page among retired rows": async () => {
      await store.read.appliances.pageOfRetired(partnerId, SLICE);
      await store.read.components.after(partnerId, 4, 50);
    },
    "what is to be retired": async () => {
      await store.read.properties.retiring(day, 100);
      await store.read.appliances.retiring(day, 100);
    },
    "a property's retired appliances": async () => {
      await store.read.appliances.pageOfProperty(propertyId, SLICE, "retired");
      await store.read.appliances.retiredOfPropertyAfter(propertyId, 0, 100);
      await store.read.appliances.retiredForScoringAfter(propertyId, 0, 100);
    },
    "a range of filtered properties": async () => {
      const { propertyFilters } = store.read;
      for (const by of [{}, { state: "NY" }, { zip: "10013" }, { state: "NY", zip: "10013" }])
        await propertyFilters.inRange(partnerId, by, 1, 1000);
      await propertyFilters.inRange(partnerId, { state: "NY", flag: "zinsco" }, 1, 1000);
    },
    "a range of filtered properties of several partners": async () => {
      const { propertyFilters } = store.read;
      for (const by of [{}, { state: "NY", zip: "10013" }, { flag: "zinsco" }])
        await propertyFilters.inRangeOfPartners([partnerId], by, 0, 500);
    },
    "the partners of the book": async () => {
      await store.read.book.members();
      await store.read.book.revision();
    },
    "the list of appliances": () => store.read.appliances.page(partnerId, SLICE),
    "what losses follow from": async () => {
      await store.read.lossRows.ofPartnerAfter(partnerId, 3, 50);
      await store.read.lossRows.ofPropertyAfter(propertyId, 3, 50);
    },
    "a property's appliances": () => store.read.appliances.pageOfProperty(propertyId, SLICE),
    "some units": () => store.read.units.ofIds(["U_"]),
    "a property's units": () => store.read.units.page(propertyId, SLICE),
    "the list of components": () => store.read.components.page(partnerId, SLICE),
    "the list of one tier": async () => {
      const { components } = store.read;
      await components.tierPage(partnerId, "CRITICAL", { limit: 50, offset: 1 });
      await components.tierAfter(partnerId, "CRITICAL", 3, 50);
    },
    alerts: () => store.read.components.elevatedPage(partnerId, { limit: 50, offset: 1 }),
    "the numbers of alerts of a system, a state, or both": async () => {
      const { components } = store.read;
      for (const by of FILTERS)
        for (const tier of [undefined, "CRITICAL", "WARNING"] as const)
          await components.countAlerts({ partnerId: partnerId, ...by }, tier);
    },
    "the event stream's components": async () => {
      const { components } = store.read;
      await components.elevatedByScoring(partnerId, { limit: 50, offset: 1 });
      await components.elevatedAfter(partnerId, { rescoredAt: null, seq: 3 }, 50);
      await components.elevatedAfter(partnerId, { rescoredAt: now, seq: 3 }, 50);
    },
    "the event stream's start": () => store.read.eventLog.firstSince(partnerId, now),
    "the event stream": () => store.read.eventLog.page(partnerId, 1, 50),
    "a component's trend": () => store.read.snapshots.trendRows(componentId),
    "a property's trend of conditions": () => store.read.conditionTrends.points(partnerId, propertyId),
    "the points of conditions on a day": () => store.read.conditionTrends.ofDay(partnerId, [propertyId], day),
    "what conditions follow from": () => store.read.conditionTrends.inputs([propertyId]),
    "what trends of conditions keep no longer": () =>
      store.write((tx) => tx.conditionTrends.prune(partnerId, [propertyId], day)),
    "the points of conditions after a day": () =>
      store.write((tx) => tx.conditionTrends.forgetAfter(partnerId, day)),
    "a property's claims": () => store.read.claims.page(propertyId, SLICE),
    "some of an appliance's smart events": () =>
      store.read.sensorEvents.smartEvidenceBefore(applianceId, 0, { recordedAt: now, id: "PE_" }, 50),
    "a partner's brand": () => store.read.brands.find(partnerId),
    "how a property stands": () => store.read.standings.ofProperty(propertyId),
    "a partner's saved filters": () => store.read.savedFilters.ofPartner(partnerId),
    "a partner's cost book": () => store.read.costLines.ofPartner(partnerId),
    "a partner's cost book with its digest": () => store.read.costLines.withDigest(partnerId),
    "a partner's recalculation": () => store.read.recalculations.ofPartner(partnerId),
    "a portfolio's actions": async () => {
      const all = { partnerId, today: day, without: [] };
      const costs = { leastCents: 1, mostCents: 9_000_000 };
      const filters = [
        all,
        { ...all, system: "plumbing", state: "NY", tier: "CRITICAL" as const, work: "open" as const },
        { ...all, ...costs, action: "inspect" as const, dueBy: day, without: [propertyId] },
      ];
      for (const filter of filters)
        for (const order of ["waiting", "expected"] as const) {
          await store.read.planActions.page(filter, order, { limit: 50, offset: 1 });
          await store.read.planActions.sums(filter, order);
          await store.read.planActions.sumsOfProperties(filter, order, 0, 500);
        }
    },
    "a portfolio's plan": () => store.read.plans.ofPartner(partnerId),
    "what a portfolio's plans rest on": () => store.read.plans.countedOfPartners([partnerId]),
    "a portfolio's plan by property": () => store.read.plans.page(partnerId, SLICE, []),
    "a portfolio's plan, the highest cost of delay first": () =>
      store.read.plans.pageByWaiting(partnerId, SLICE, [propertyId]),
    "the plans to recompute": async () => {
      await store.read.plans.changed(partnerId, 20);
      await store.read.plans.changedOfPartners([partnerId], 20);
      await store.read.plans.aged(partnerId, day, 20);
      await store.read.plans.asOf(partnerId);
    },
    "the next uses of a budget": () =>
      store.read.plans.candidates(partnerId, { rank: -2, id: "C_1" }, 50_000, 500),
    "the next properties with what no snapshot has seen": () => store.read.properties.withUnseen(100),
    "the next properties of a snapshot": () => store.read.properties.forSnapshot("", 100),
  };
}

/** The reads of few rows in tables that may be as large as a portfolio. */
export function narrowReads(of: Readable): Record<string, Read> {
  const { store, partnerId, propertyId, applianceId, componentId, now, day } = of;
  return {
    "a property's alerts of a system, a state and a tier": () =>
      store.read.components.narrowPage(
        { propertyIds: [propertyId], elevated: true, system: "plumbing", state: "NY", tier: "WARNING" },
        SLICE,
      ),
    "the components of a property that moves to another state": () =>
      store.write((tx) => tx.components.setState(propertyId, "VT", 0, 500)),
    "the counts of flags of a property and of the portfolio": async () => {
      await store.read.flags.ofProperty(partnerId, propertyId);
      await store.read.flags.ofPartner(partnerId);
      await store.read.flags.stored(partnerId, [propertyId]);
      await store.read.flags.ofProperties([propertyId]);
      await store.read.flags.sumOf([propertyId]);
    },
    "the sums of the book": async () => {
      const { book } = store.read;
      await book.sums([partnerId]);
      await book.demoSums([partnerId]);
      await book.demoIds([partnerId]);
      await book.flags([partnerId]);
      await book.demoFlags([partnerId]);
    },
    "a page of the book": () => store.read.book.properties([partnerId]),
    "the alerts of the book": async () => {
      const { book } = store.read;
      for (const by of [{}, ...FILTERS]) {
        const byScore = { order: "score", partnerIds: [partnerId], ...by } as const;
        await book.alertCounts(byScore, { from: 52, to: 99 });
        await book.alertCells(byScore, { from: 60, to: 70 });
        await book.alertsOf(byScore, { from: 60, to: 60 });
      }
    },
    "the alerts of the book by cost": async () => {
      const { book } = store.read;
      for (const by of [{}, ...FILTERS]) {
        const byCost = { order: "cost", partnerIds: [partnerId], tier: "CRITICAL", ...by } as const;
        await book.alertCounts(byCost, { from: 1000, to: Number.MAX_SAFE_INTEGER });
        await book.alertCells(byCost, { from: 1000, to: 90_000 });
        await book.alertsOf(byCost, { from: 1000, to: 90_000 });
      }
    },
    "what begins with a text": async () => {
      await store.read.search.properties(partnerId, "12", 8);
      await store.read.search.appliances(partnerId, "x", 8);
      await store.read.search.claims(partnerId, "x", 8);
      await store.read.search.claim(partnerId, "CLM_");
      await store.read.search.propertiesOfReference(partnerId, "x", 8);
    },
    "what begins with a text, of all partners": async () => {
      await store.read.search.properties(undefined, "12", 8);
      await store.read.search.appliances(undefined, "x", 8);
      await store.read.search.claims(undefined, "x", 8);
      await store.read.search.propertiesOfReference(undefined, "x", 8);
    },
    "a property's actions": async () => {
      const filter = { partnerId, propertyId, today: day, without: [] };
      await store.read.planActions.sums(filter, "waiting");
      await store.write(async (tx) => {
        await tx.planActions.mark(propertyId, componentId, { state: "ordered", until: null });
        await tx.planActions.drop(propertyId);
      });
    },
    "marks on work": async () => {
      await store.read.work.find(componentId);
      await store.read.work.ofSubjects([componentId, applianceId]);
      await store.read.work.ofProperty(propertyId, "", 1000);
      await store.read.work.endedBy("SE_1");
      const subject = { applianceId, componentId };
      await store.read.work.replacementsOnDay(applianceId, day);
      const stated = { technician: "x", notes: null, totalCostCents: null, conditionAfter: null };
      await store.read.work.sameEvent({ ...subject, ...stated, eventType: "Repair", date: day });
      await store.write(async (tx) => {
        await tx.work.end([componentId], now, "SE_1");
        await tx.work.setEnd(componentId, null);
        await tx.work.remove(componentId);
        await tx.work.follow([componentId], propertyId);
      });
    },
    "a property": () => store.read.properties.find(partnerId, propertyId),
    "a property by its reference": () => store.read.properties.findByReference(partnerId, "x"),
    "properties by their references": () => store.read.properties.ofReferences(partnerId, ["x", "y"]),
    "some properties": () => store.read.properties.ofIds(partnerId, [propertyId]),
    "the sums of properties": () => store.read.totals.sizesOf([propertyId]),
    "the appliances of properties": () => store.read.appliances.ofProperties([propertyId], 500),
    "some appliances": () => store.read.appliances.ofIds(partnerId, [applianceId]),
    "all events of appliances": () => store.read.serviceEvents.ofAppliances([applianceId], 500),
    "the earliest day of a property's events": () =>
      store.read.serviceEvents.earliestDays(
        [{ propertyId, from: "2020-01-01", before: day }],
        async () => {},
      ),
    "a property by its normalized address": () => store.read.properties.firstOfAddress(partnerId, "a|NY|"),
    "properties by their street": () => store.read.properties.onStreet(partnerId, "1 elm st", 2),
    "properties by their name": () => store.read.properties.ofName(partnerId, "Elm", 2),
    "properties by their name and address": async () => {
      const known = { name: "N", address: "A" };
      await store.read.properties.ofAddressAfter(partnerId, known, 0, 500);
      await store.read.properties.retiredOfAddressAfter(partnerId, known, 0, 500);
    },
    "rows by their numbers, retired ones included": async () => {
      await store.read.properties.numbered(partnerId, 0, 100);
      await store.read.appliances.numbered(partnerId, 0, 100);
      await store.read.components.numbered(partnerId, 0, 100);
    },
    "the components of retired appliances": async () => {
      await store.read.components.retiredOfAppliances([applianceId]);
      await store.read.components.retiredForScoring([applianceId]);
      await store.read.components.rowsOfRetired(applianceId);
    },
    "some filtered properties": () => store.read.propertyFilters.ofIds([propertyId]),
    "the sums of filtered properties": () => store.read.propertyFilters.sumOf([propertyId]),
    "the demo properties": () => store.read.properties.demo(partnerId),
    "the ids of the demo properties": () => store.read.properties.demoIds(partnerId),
    "whose a property is": () => store.read.properties.ownerOf(propertyId),
    "an embed by its token": () => store.read.embeds.findByToken("x"),
    "a property's embeds": () => store.read.embeds.page(SLICE, { propertyId }),
    "an appliance": () => store.read.appliances.find(partnerId, applianceId),
    "an appliance by its serial within the property": () => store.read.appliances.withSerial(propertyId, "x"),
    "an appliance by its serial": () => store.read.appliances.withSerialOfPartner(partnerId, "x"),
    "the number of a property's appliances": () => store.read.appliances.countOfProperty(propertyId),
    "a component": () => store.read.components.find(partnerId, componentId),
    "whose a component is": () => store.read.components.ownerOf(componentId),
    "a property's components": () => store.read.components.rowsOfProperty(propertyId),
    "the components of properties": () => store.read.components.rowsOfProperties([propertyId]),
    "components filtered to one property": () =>
      store.read.components.narrowPage({ propertyIds: [propertyId] }, SLICE),
    "a property's alerts": () =>
      store.read.components.narrowPage({ propertyIds: [propertyId], elevated: true }, SLICE),
    "one tier of a property's components": () =>
      store.read.components.narrowPage({ propertyIds: [propertyId], tier: "CRITICAL" }, SLICE),
    "components filtered to one appliance": () =>
      store.read.components.narrowPage({ applianceId, elevated: true }, SLICE),
    "components filtered to one appliance of a property": () =>
      store.read.components.narrowPage({ propertyIds: [propertyId], applianceId }, SLICE),
    "some of a property's components": () => store.read.components.rowsOfPropertyAfter(propertyId, 1, 100),
    "some of a property's appliances": () => store.read.appliances.ofPropertyAfter(propertyId, 1, 100),
    "a property's appliances that a visit found in a poor condition": () =>
      store.read.recounts.withDeficiencies([propertyId]),
    "the components of properties with their costs": () =>
      store.read.recounts.pricedOfProperties([propertyId]),
    "the number of events of properties": () => store.read.recounts.serviceEventsOfProperties([propertyId]),
    "an appliance's components": () => store.read.components.rowsOfAppliance(applianceId),
    "the numbers of a property's components": () =>
      store.read.components.countNarrow({ propertyIds: [propertyId] }),
    "the numbers of an appliance's components": () =>
      store.read.components.countNarrow({ applianceId, tier: "GOOD" }),
    "the components of appliances": () => store.read.components.ofAppliances([applianceId]),
    "the dates of components of appliances": () => store.read.components.datesOfAppliances([applianceId]),
    "what scoring reads of the components of appliances": () =>
      store.read.components.forScoring([applianceId]),
    "the events of appliances": () => store.read.serviceEvents.evidence([applianceId], "", 100),
    "some of an appliance's events": () =>
      store.read.serviceEvents.evidenceAfter(applianceId, "", { date: "2026-01-01", id: "SE_" }, 100),
    "what was paid for some appliances": () =>
      store.read.serviceEvents.billedAfter(
        [applianceId],
        "2021-01-01",
        {
          id: "SE_",
          applianceId,
          componentId: null,
          componentDefId: null,
          costCents: null,
          ownPlannedCents: null,
          ownFailedCents: null,
          eventType: "Replacement",
          date: "2026-01-01",
        },
        100,
      ),
    "a component's history": () =>
      store.read.serviceEvents.ofComponent({ applianceId, id: componentId }, 100, {
        date: "2026-01-01",
        id: "SE_",
      }),
    "the days of an appliance's events": () =>
      store.read.serviceEvents.daysAfter(applianceId, { date: "2026-01-01", id: "SE_" }, 100),
    "the partner of a service event": () => store.read.serviceEvents.ownerOf("SE_"),
    "the inspections of appliances": () => store.read.serviceEvents.inspections([applianceId], "", 100),
    "the inspections of an appliance after one": () =>
      store.read.serviceEvents.inspectionsAfter(applianceId, "", { date: "2026-01-01", id: "SE_" }, 100),
    "an appliance's history": () => store.read.serviceEvents.ofAppliance(applianceId),
    "some of what happened to an appliance on a day": () =>
      store.read.serviceEvents.ofDayAfter(applianceId, day, "SE_", 100),
    "what rows of an import are matched on of a day": () =>
      store.read.serviceEvents.matchedOfDayAfter(applianceId, day, "SE_", 100),
    "what scoring reads of some of a property's appliances": () =>
      store.read.appliances.forScoringAfter(propertyId, 1, 100),
    "a component's outcomes": () => store.read.serviceEvents.outcomesOf(componentId),
    "the smart events of appliances": () => store.read.sensorEvents.smartEvidence([applianceId], now, 10_001),
    "what calibration has learned of appliances": () =>
      store.read.models.frailties(1, [applianceId, "APPL_1"]),
    "what calibration reads of properties": async () => {
      const { properties, appliances, components, serviceEvents } = store.read;
      await properties.forSnapshot("", 100);
      await appliances.forScoring([propertyId]);
      await components.forScoring([applianceId]);
      await serviceEvents.evidence([applianceId], "", 100);
    },
    "a claim": () => store.read.claims.find("CLM_"),
    "the claims with a number": () => store.read.claims.ofNumbers(propertyId, ["A-17"]),
    "the claims of properties": () => store.read.claims.evidence([propertyId], 10_001),
    "some of a property's claims": () =>
      store.read.claims.evidenceAfter(propertyId, { dateOfLoss: "2026-01-01", id: "CLM_" }, 100),
    "what adds to sums of a property's claims": () =>
      store.read.claims.countedAfter(propertyId, { dateOfLoss: "2026-01-01", id: "CLM_" }, 100),
    "the number of a property's claims": () => store.read.claims.count(propertyId),
    "what trends keep no longer": () =>
      store.write((tx) => tx.snapshots.pruneTrends([componentId, "C_none"], day)),
    "an appliance's photos": () => store.read.photos.page(applianceId, SLICE),
    "the number of an appliance's photos": () => store.read.photos.count(applianceId),
    "a photo to remove": () => store.write((tx) => tx.photos.remove(applianceId, "PH_")),
    "what the plans of properties rest on": () => store.read.plans.countedOf([propertyId]),
    "a property's plan": () => store.read.plans.ofProperty(propertyId),
    "a partner's own deliveries": async () => {
      const { deliveryLog } = store.read;
      for (const event of [undefined, "component.critical"])
        for (const status of [undefined, "delivered", "failed"] as const) {
          const filter = { partnerId: partnerId, event, status };
          await deliveryLog.pageOfPartner(filter, SLICE);
          await deliveryLog.countOfPartner(filter);
        }
    },
    "failed deliveries by error": async () => {
      const window = { partnerId, from: 0, to: now, error: "HTTP 500" };
      await store.read.deliveryLog.nextFailing();
      await store.read.deliveryLog.nextError(partnerId);
      await store.read.deliveryLog.nextError(partnerId, "HTTP 500");
      await store.read.deliveryLog.failureGroup(window);
      await store.read.deliveryLog.countFailed(window);
      await store.read.deliveryLog.countFailedSince(now);
    },
    "a partner by its key": () => store.read.partners.findByApiKey("x"),
    "a repeated request": () => store.read.idempotency.find(partnerId, "POST /v1/properties", "k"),
    "expired replies": () => store.write((tx) => tx.idempotency.prune(now, 500)),
    "a partner's budget": () => store.read.budgets.taken(partnerId, day),
    "partners with due deliveries": () => store.read.deliveries.duePartners(now, now + 30_000),
    "a partner's due deliveries": () =>
      store.read.deliveries.due(partnerId, now, now + 30_000, 50, new Set()),
    "the next due delivery": () => store.read.deliveries.nextDueAt(now),
  };
}
