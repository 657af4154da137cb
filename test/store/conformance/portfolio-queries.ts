import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Appliance } from "../../../src/domain/appliance.ts";
import type { Component } from "../../../src/domain/component.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import { normalizedPostalStreet } from "../../../src/domain/places/postal-address.ts";
import type { Property } from "../../../src/domain/property.ts";
import { matchesPropertyFilterRule } from "../../../src/domain/rules/property-filter-rule.ts";
import type { ServiceEvent } from "../../../src/domain/service-event.ts";
import { addDays, MS_PER_DAY } from "../../../src/domain/time.ts";
import { ClaimLog } from "../../../src/usecases/claims/record-claims.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { rescoreProperty } from "../../../src/usecases/rescoring/rescore.ts";
import { discardLaterSnapshots } from "../../../src/usecases/snapshot/discard-snapshots.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import {
  ALL,
  type Called,
  DAY,
  knowledge,
  LARGE,
  type MakeDatabase,
  NOW,
  openTestStore,
  TEXT,
  type TestStore,
} from "./test-store.ts";

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const pages = <T>(rows: readonly T[], offset: number, limit: number) => rows.slice(offset, offset + limit);
/** Slices at the start, in the middle, across the end, beyond it, and empty. */
const SLICES = [
  { limit: 3, offset: 0 },
  { limit: 2, offset: 3 },
  { limit: 1000, offset: 1 },
  { limit: 5, offset: 900 },
  { limit: 0, offset: 0 },
];

/** A portfolio with something in every table, and what queries give of it. */
export function portfolioQueries(make: MakeDatabase, called: Called): void {
  let fixture: TestStore;
  let partner: Partner;
  let other: Partner;
  let elm: Property;
  let oak: Property;
  let strange: Property;
  let foreign: Property;
  let heater: Appliance;
  let roof: Appliance;
  let components: Component[];
  const read = () => fixture.store.read;
  const snapshot = (day: string) =>
    takeSnapshot(
      {
        store: fixture.store,
        knowledge,
        clock: () => fixture.time.now,
        monotonicMs: () => 0,
        yieldNow: async () => {},
      },
      day,
    );

  beforeAll(async () => {
    fixture = await openTestStore(await make(), called);
    partner = await fixture.addPartner({ name: TEXT });
    other = await fixture.addPartner();
    elm = await fixture.addProperty(partner, { unitCount: 3, partnerPropertyId: "E" }, true);
    oak = await fixture.addProperty(partner, { name: "Oak", state: "VT", recordsSince: "2001-02-03" });
    strange = await fixture.addProperty(partner, {
      name: TEXT,
      address: TEXT,
      notes: TEXT,
      partnerPropertyId: TEXT,
      estimatedValueCents: LARGE,
      yearBuilt: 1899,
      city: null,
      zip: null,
    });
    foreign = await fixture.addProperty(other, { partnerPropertyId: "E" });
    const [unit] = await read().units.page(elm.id, ALL);
    heater = await fixture.addAppliance(partner, {
      propertyId: elm.id,
      serial: "S 1",
      unitId: unit!.id,
      usageIntensity: 1.25,
      brand: TEXT,
      model: "M",
      brandTier: "premium",
      warrantyExpiry: "2030-01-31",
      installYear: 1990,
    });
    roof = await fixture.addAppliance(partner, { propertyId: elm.id, typeId: "roof", installYear: 1985 });
    await fixture.addAppliance(partner, { propertyId: oak.id, serial: "S 1", installYear: 1970 });
    await fixture.addAppliance(partner, { propertyId: oak.id, typeId: "elevator", installYear: 1990 });
    await fixture.addAppliance(other, { propertyId: foreign.id, typeId: "roof", installYear: 1980 });
    await snapshot(DAY);
    fixture.time.now += 1000;
    // Both are due, as the scoring that follows finds, and the snapshot for how long.
    for (const one of [heater, roof]) {
      const { dueCents, unitTiming, dueHoldsUntil } = (await read().appliances.find(partner.id, one.id))!;
      Object.assign(one, { dueCents, unitTiming, dueHoldsUntil });
    }
    components = await read().components.ofProperties([elm.id, oak.id, strange.id]);
  });

  describe("properties", () => {
    test("are read as they were stored, by their own partner only", async () => {
      const { properties } = read();
      expect(await properties.find(partner.id, strange.id)).toEqual(strange);
      expect(strange).toMatchObject({ estimatedValueCents: LARGE, notes: TEXT, isDemo: false, zip: null });
      expect(await properties.find(partner.id, elm.id)).toEqual(elm);
      expect(elm).toMatchObject({ isDemo: true, recordsSinceGiven: false, yearBuilt: null });
      expect(oak).toMatchObject({ recordsSince: "2001-02-03", recordsSinceGiven: true });
      expect(await properties.find(partner.id, oak.id)).toEqual(oak);
      expect(await properties.find(other.id, oak.id)).toBeUndefined();
      expect(await properties.ownerOf(oak.id)).toBe(partner.id);
      expect(await properties.ownerOf("P_none")).toBeUndefined();
      expect(await properties.findByReference(partner.id, "E")).toEqual(elm);
      expect(ids(await properties.ofReferences(partner.id, ["none", TEXT, "E"])).sort()).toEqual(
        ids([elm, strange]).sort(),
      );
      expect(await properties.ofReferences(partner.id, [])).toEqual([]);
      expect(await properties.ofIds(partner.id, [foreign.id, elm.id, "P_none"])).toEqual([elm]);
      expect(await properties.ofIds(partner.id, [])).toEqual([]);
      await fixture.store.write((tx) => tx.properties.saveRecord(elm.id, "2020-02-29"));
      expect(await properties.find(partner.id, elm.id)).toEqual({ ...elm, recordsSince: "2020-02-29" });
      await fixture.store.write((tx) => tx.properties.saveRecord(elm.id, elm.recordsSince));
      expect(await properties.findByReference(other.id, "E")).toEqual(foreign);
      expect(await properties.findByReference(partner.id, TEXT)).toEqual(strange);
      expect(await properties.ofAddressAfter(partner.id, { name: TEXT, address: TEXT }, 0, 9)).toEqual([
        strange,
      ]);
      const elsewhere = { name: TEXT, address: "elsewhere" };
      expect(await properties.ofAddressAfter(partner.id, elsewhere, 0, 9)).toEqual([]);
      expect(await properties.retiredOfAddressAfter(partner.id, strange, 0, 9)).toEqual([]);
    });

    test("are filtered by state and ZIP code within a range, and summed", async () => {
      const { propertyFilters, properties, totals } = read();
      const all = await properties.portfolioPage(partner.id, ALL);
      const inRange = (by: { state?: string; zip?: string }, after = 0, last = 1000) =>
        propertyFilters.inRange(partner.id, by, after, last);
      const seqs = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq);
      expect(seqs(await inRange({}))).toEqual(all.map(({ property }) => property.seq));
      expect(seqs(await inRange({}, 1, 2))).toEqual([2]);
      for (const { state, zip } of all.map(({ property }) => property))
        for (const by of [
          { state },
          zip === null ? {} : { zip },
          zip === null ? { state } : { state, zip },
        ]) {
          const expected = all.filter(({ property }) => matchesPropertyFilterRule(by, property));
          expect(seqs(await inRange(by)), JSON.stringify(by)).toEqual(
            seqs(expected.map((row) => row.property)),
          );
        }
      const [first, , third] = all;
      const rows = await propertyFilters.ofIds([third!.property.id, first!.property.id, "P_none"]);
      expect(rows.sort((a, b) => a.property.seq - b.property.seq)).toEqual([first!, third!]);
      expect(await propertyFilters.ofIds([])).toEqual([]);
      const { critical, warning, components, warningReactiveCents } = await totals.ofPartner(partner.id);
      expect(await propertyFilters.sumOf(ids(await inRange({})))).toMatchObject({
        critical,
        warning,
        components,
        warningReactiveCents,
      });
      expect(await propertyFilters.sumOf([])).toMatchObject({ critical: 0, components: 0 });
    });

    test("are listed by creation, a slice at a time", async () => {
      const { properties } = read();
      const all = [elm, oak, strange];
      for (const slice of SLICES) {
        const wanted = pages(all, slice.offset, slice.limit);
        expect(ids(await properties.page(partner.id, slice))).toEqual(ids(wanted));
        const counted = await properties.countedPage(partner.id, slice);
        expect([ids(counted.rows), counted.total]).toEqual([ids(wanted), 3]);
        const portfolio = await properties.portfolioPage(partner.id, slice);
        expect(portfolio.map(({ property }) => property)).toEqual(wanted);
        const summaries = await properties.summaryPage(partner.id, slice);
        for (const [at, summary] of summaries.entries()) {
          const { property, totals } = portfolio[at]!;
          expect({ ...property, ...totals }).toMatchObject(summary);
          expect(Object.keys(summary)).toContain("vitalCritical");
        }
        expect(summaries).toHaveLength(wanted.length);
      }
      expect(
        (await properties.portfolioPage(partner.id, ALL)).map(({ totals }) => totals.appliances),
      ).toEqual([2, 2, 0]);
      expect((await properties.page(partner.id, ALL))[2]).toEqual({
        id: strange.id,
        name: TEXT,
        address: TEXT,
        city: null,
        state: "NY",
        zip: null,
        unitCount: 0,
        createdAt: strange.createdAt,
        retiredAt: null,
      });
      const ofKey = (one: Property) => properties.firstOfAddress(one.partnerId, one.addressKey!);
      expect(await ofKey(strange)).toEqual({ id: strange.id, name: strange.name });
      expect(await properties.firstOfAddress(other.id, strange.addressKey!)).toBeUndefined();
      expect((await properties.demo(partner.id)).map(({ property }) => property)).toEqual([elm]);
      expect(await properties.demo(other.id)).toEqual([]);
      expect(await properties.demoIds(partner.id)).toEqual([elm.id]);
      expect(await properties.demoIds(other.id)).toEqual([]);
    });

    test("are changed, and keep the other fields", async () => {
      const before = await fixture.addProperty(other, { name: "Fir", unitCount: 2 });
      const change = {
        name: "Fir Court",
        unitCount: 5,
        estimatedValueCents: null,
        recordsSince: "1999-09-09",
      };
      await fixture.write(other, (writer) => changeProperty(writer, before.id, change));
      expect(await read().properties.find(other.id, before.id)).toMatchObject({
        ...before,
        ...change,
        recordsSinceGiven: true,
        updatedAt: fixture.time.now,
      });
      expect(await read().units.count(before.id)).toBe(5);
    });

    test("are matched by their street in any place, and by their name in any case", async () => {
      const { properties } = read();
      const make = (name: string, address: string, city: string) =>
        fixture.addProperty(other, { name, address, city, partnerPropertyId: `matched-${name}` });
      const accented = await make("École Élan", "7 Quay Street", "Troy");
      const second = await make("Quay", "7 Quay St.", "Utica");
      await make("Quays", "7 Quay Streets", "Troy");
      await make("Unit", "7 Quay St Apt 2", "Troy");
      const onStreet = (partnerId: string) =>
        properties.onStreet(partnerId, normalizedPostalStreet("7 QUAY street"), 9);
      expect(ids(await onStreet(other.id)).sort()).toEqual(ids([accented, second]).sort());
      expect(await properties.onStreet(other.id, normalizedPostalStreet("7 Quay St"), 1)).toHaveLength(1);
      expect(await onStreet(partner.id)).toEqual([]);
      const [found, ...more] = await properties.ofName(other.id, "ÉCOLE élan", 9);
      expect(found).toEqual({
        id: accented.id,
        name: "École Élan",
        partnerPropertyId: "matched-École Élan",
        unitCount: accented.unitCount,
        city: "Troy",
        state: accented.state,
        zip: accented.zip,
      });
      expect(more).toEqual([]);
      expect(ids(await properties.ofName(other.id, "quay", 9))).toEqual([second.id]);
      expect(await properties.ofName(partner.id, "quay", 9)).toEqual([]);
    });

    test("are iterated by id for a snapshot, across all partners", async () => {
      const { properties } = read();
      const all = (await properties.forSnapshot("", 1_000_000)).map(({ id }) => id);
      expect(all).toEqual([...all].sort());
      expect(all).toContain(foreign.id);
      const [first, ...rest] = await properties.forSnapshot("", 1_000_000);
      expect(await properties.forSnapshot(first!.id, 1_000_000)).toEqual(rest);
      expect(await properties.forSnapshot("", 1)).toEqual([first!]);
      expect(rest.concat(first!).find(({ id }) => id === elm.id)).toMatchObject({
        isDemo: true,
        state: "NY",
      });
      expect(await properties.withUnseen(1000)).toEqual([]);
    });

    test("have units, numbered from 1", async () => {
      const { units } = read();
      const all = await units.page(elm.id, ALL);
      expect(all.map(({ number }) => number)).toEqual([1, 2, 3]);
      expect(await units.page(elm.id, { limit: 1, offset: 1 })).toEqual([all[1]!]);
      expect(await units.find(all[0]!.id)).toEqual(all[0]);
      expect(await units.find("U_none")).toBeUndefined();
      expect(await units.ofIds([all[1]!.id, "U_none"])).toEqual([all[1]!]);
      expect(await units.ofIds([])).toEqual([]);
      expect([await units.count(elm.id), await units.count(oak.id)]).toEqual([3, 0]);
      expect([await units.highest(elm.id), await units.highest(oak.id)]).toEqual([3, 0]);
      expect(await units.inUseAbove(elm.id, 0)).toEqual([all[0]!]);
      expect(await units.inUseAbove(elm.id, 1)).toEqual([]);
      const many = await fixture.addProperty(other, { unitCount: 1203 });
      expect(await units.count(many.id)).toBe(1203);
      await fixture.store.write((tx) => tx.units.deleteAbove(many.id, 3));
      expect(await units.highest(many.id)).toBe(3);
    });
  });

  describe("appliances", () => {
    test("are read as they were stored", async () => {
      const { appliances } = read();
      expect(await appliances.find(partner.id, heater.id)).toEqual(heater);
      expect(heater).toMatchObject({ brandTierGiven: true, usageIntensity: 1.25, brand: TEXT });
      expect(await appliances.find(partner.id, roof.id)).toEqual(roof);
      expect(roof).toMatchObject({ brandTierGiven: false, serial: null, warrantyExpiry: null });
      expect(await appliances.find(other.id, roof.id)).toBeUndefined();
      expect(await appliances.withSerial(elm.id, "S 1")).toEqual([heater]);
      const ofElm = await appliances.ofProperty(elm.id);
      const most = ofElm.length;
      const found = (await appliances.ofProperties([elm.id, "P_none"], most))!;
      expect(found.sort((a, b) => a.seq - b.seq)).toEqual(ofElm);
      expect(await appliances.ofProperties([elm.id], most - 1)).toBeUndefined();
      expect(await appliances.ofProperties([], 0)).toEqual([]);
      expect(await appliances.ofIds(partner.id, [heater.id, "A_none"])).toEqual([heater]);
      expect(await appliances.ofIds(other.id, [heater.id])).toEqual([]);
      expect(await appliances.ofIds(partner.id, [])).toEqual([]);
      expect(await read().totals.sizesOf([elm.id, "P_none"])).toEqual(
        new Map([
          [
            elm.id,
            expect.objectContaining({
              appliances: most,
              components: (await read().totals.ofProperty(elm.id)).components,
            }),
          ],
        ]),
      );
      expect(await appliances.withSerial(elm.id, "s 1")).toEqual([]);
      expect(ids(await appliances.withSerialOfPartner(partner.id, "S 1"))).toHaveLength(2);
      expect(await appliances.withSerialOfPartner(other.id, "S 1")).toEqual([]);
      expect((await appliances.list([roof.id, heater.id, "A_none"])).map(({ id }) => id).sort()).toEqual(
        [roof.id, heater.id].sort(),
      );
      expect(await appliances.list([])).toEqual([]);
    });

    test("are listed by creation", async () => {
      const { appliances } = read();
      const all = await appliances.page(partner.id, ALL);
      expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      for (const slice of SLICES)
        expect(await appliances.page(partner.id, slice)).toEqual(pages(all, slice.offset, slice.limit));
      expect(await appliances.ofProperty(elm.id)).toEqual([heater, roof]);
      expect(await appliances.pageOfProperty(elm.id, { limit: 5, offset: 1 })).toEqual([roof]);
      expect(await appliances.ofPropertyAfter(elm.id, heater.seq, 5)).toEqual([roof]);
      expect(await appliances.ofPropertyAfter(elm.id, 0, 1)).toEqual([heater]);
      expect(await appliances.countOfProperty(elm.id)).toBe(2);
      const scored = await appliances.forScoring([oak.id, strange.id, elm.id]);
      expect(ids(scored)).toEqual(
        ids(
          [...all].sort((a, b) =>
            a.propertyId < b.propertyId ? -1 : a.propertyId > b.propertyId ? 1 : a.seq - b.seq,
          ),
        ),
      );
      expect(scored.find(({ id }) => id === heater.id)).toEqual({
        id: heater.id,
        propertyId: elm.id,
        unitId: heater.unitId,
        typeId: heater.typeId,
        brand: TEXT,
        model: "M",
        brandTier: "premium",
        installYearBasis: "given",
        installYear: 1990,
        usageIntensity: 1.25,
        size: heater.size,
        flags: "",
        flagsSet: "",
        flagsCleared: "",
        deficiencies: 0,
        dueCents: heater.dueCents,
        unitTiming: "now",
        dueHoldsUntil: heater.dueHoldsUntil,
      });
      expect(heater).toMatchObject({
        unitTiming: "now",
        dueHoldsUntil: expect.stringMatching(/^2026-\d\d-\d\d$/),
      });
      expect(heater.dueCents).toBeGreaterThan(0);
      const ofElm = scored.filter(({ propertyId }) => propertyId === elm.id);
      const [one] = await appliances.forScoringAfter(elm.id, 0, 1);
      const rest = await appliances.forScoringAfter(elm.id, one!.seq, 100);
      expect([one!, ...rest].map(({ seq, ...appliance }) => appliance)).toEqual(ofElm);
      expect(await appliances.forScoring([])).toEqual([]);
    });

    test("are changed", async () => {
      const [, , listed] = await read().appliances.page(partner.id, ALL);
      const third = await read().appliances.find(partner.id, listed!.id);
      expect(third).toMatchObject(listed!);
      await fixture.store.write((tx) =>
        tx.appliances.update(third!.id, { brandTierGiven: true, model: null }),
      );
      expect(await read().appliances.find(partner.id, third!.id)).toEqual({
        ...third!,
        brandTierGiven: true,
      });
      await fixture.store.write((tx) => tx.appliances.update(third!.id, { brandTierGiven: false }));
      expect(await read().appliances.find(partner.id, third!.id)).toEqual(third);
    });
  });

  describe("components", () => {
    test("are read with their location, by appliance, property and number", async () => {
      const store = read().components;
      const all = await store.page(partner.id, ALL);
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
      const first = all[0]!;
      expect(first).toMatchObject({
        typeId: heater.typeId,
        brand: TEXT,
        brandTier: "premium",
        unitId: heater.unitId,
        propertyName: elm.name,
        propertyAddress: elm.address,
        rescoredAt: null,
      });
      expect(await store.find(partner.id, first.id)).toEqual(first);
      expect(await store.find(other.id, first.id)).toBeUndefined();
      expect([await store.ownerOf(first.id), await store.ownerOf("C_none")]).toEqual([partner.id, undefined]);
      const of = (propertyId: string) => all.filter((one) => one.propertyId === propertyId);
      expect(await store.rowsOfProperty(elm.id)).toEqual(of(elm.id));
      const together = await store.rowsOfProperties([...new Set(all.map(({ propertyId }) => propertyId))]);
      expect(together.toSorted((a, b) => a.seq - b.seq)).toEqual(all);
      expect(await store.rowsOfAppliance(roof.id)).toEqual(all.filter((one) => one.applianceId === roof.id));
      const both = await store.rowsOfAppliances([roof.id, heater.id]);
      expect(both).toHaveLength(
        all.filter(({ applianceId }) => [roof.id, heater.id].includes(applianceId)).length,
      );
      expect(await store.rowsOfAppliances([])).toEqual([]);
      expect(await store.rowsOfPropertyAfter(elm.id, first.seq, 2)).toEqual(of(elm.id).slice(1, 3));
      const { lossRows } = read();
      const seqsOf = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq);
      expect(seqsOf(await lossRows.ofPartnerAfter(partner.id, 0, 1000))).toEqual(seqsOf(all));
      const lossRow = (await lossRows.ofPropertyAfter(elm.id, first.seq - 1, 1))[0]!;
      expect(lossRow).toMatchObject({ unitCount: elm.unitCount, state: elm.state, brandTier: "premium" });
      expect(first).toMatchObject({ defId: lossRow.defId, hazardRatio: lossRow.hazardRatio });
      expect(await lossRows.demoPropertyIds(partner.id)).toEqual([elm.id]);
      expect(await lossRows.demoPropertyIds(other.id)).toEqual([]);
      expect(ids(await store.ofAppliance(heater.id))).toEqual(
        ids(all.filter((one) => one.applianceId === heater.id)),
      );
      expect(ids(await store.ofAppliances([roof.id, heater.id])).sort()).toEqual(ids(of(elm.id)).sort());
      expect(await store.ofAppliances([])).toEqual([]);
      const dated = (await store.ofAppliances([roof.id, heater.id])).map(
        ({ id, applianceId, defId, lastReplaced, lastServiced }) => ({
          id,
          applianceId,
          defId,
          lastReplaced,
          lastServiced,
        }),
      );
      expect(await store.datesOfAppliances([roof.id, heater.id])).toEqual(dated);
      const toScore = await store.forScoring([roof.id, heater.id]);
      expect(await store.ofAppliances([roof.id, heater.id])).toMatchObject(toScore);
      expect(toScore[0]).not.toHaveProperty("acuteHazard");
      expect(await store.forScoring([])).toEqual([]);
      expect(await store.ofProperties([])).toEqual([]);
      expect(ids(components).sort()).toEqual(ids(all).sort());
      for (const slice of SLICES)
        expect(await store.page(partner.id, slice)).toEqual(pages(all, slice.offset, slice.limit));
    });

    /** Sorted and cut here, from all of them. */
    async function compareLists(): Promise<void> {
      const store = read().components;
      const all = await store.page(partner.id, ALL);
      const elevated = all.filter(({ riskScore }) => riskScore >= 52);
      expect(elevated.length).toBeGreaterThan(4);
      const byScore = [...elevated].sort((a, b) => b.riskScore - a.riskScore || a.seq - b.seq);
      const byCost = (a: (typeof all)[number], b: (typeof all)[number]) =>
        b.expectedCostCents - a.expectedCostCents || a.seq - b.seq;
      expect(new Set(elevated.map(({ expectedCostCents }) => expectedCostCents)).size).toBeGreaterThan(2);
      const settled = elevated.filter(({ rescoredAt }) => rescoredAt === null);
      const rescored = elevated.filter(({ rescoredAt }) => rescoredAt !== null);
      const byScoring = [
        ...settled,
        ...rescored.sort((a, b) => a.rescoredAt! - b.rescoredAt! || a.seq - b.seq),
      ];
      const tiers = [undefined, "CRITICAL", "WARNING"] as const;
      const ofTier = (rows: typeof all, tier?: string) =>
        rows.filter((one) => !tier || one.riskTier === tier);
      for (const slice of SLICES) {
        const cut = (rows: typeof all) => pages(rows, slice.offset, slice.limit);
        const counts = await store.countElevated(partner.id);
        for (const tier of tiers)
          for (const known of [undefined, counts])
            expect(await store.elevatedPage(partner.id, slice, tier, known)).toEqual(
              cut(ofTier(byScore, tier)),
            );
        expect(await store.elevatedByScoring(partner.id, slice)).toEqual(cut(byScoring));
        for (const tier of ["GOOD", "WARNING", "CRITICAL"] as const)
          expect(await store.tierPage(partner.id, tier, slice)).toEqual(cut(ofTier(all, tier)));
        const places = [
          { system: byScore[0]!.defId && knowledge.component(byScore[0]!.defId).system },
          { state: "VT" },
        ];
        expect(await store.costliestPage({ partnerId: partner.id }, undefined, slice)).toEqual(
          cut(elevated.toSorted(byCost)),
        );
        for (const place of [...places, { ...places[0], ...places[1] }]) {
          const stateOf = new Map([elm, oak, strange].map(({ id, state }) => [id, state]));
          const here = byScore.filter(
            (one) =>
              (!("system" in place) || knowledge.component(one.defId).system === place.system) &&
              (!("state" in place) || stateOf.get(one.propertyId) === place.state),
          );
          for (const tier of tiers) {
            const filter = { partnerId: partner.id, ...place };
            expect(await store.alertPage(filter, tier, slice)).toEqual(cut(ofTier(here, tier)));
            const costliest = ofTier(here, tier).toSorted(byCost);
            expect(await store.costliestPage(filter, tier, slice)).toEqual(cut(costliest));
            expect(await store.countAlerts(filter, tier)).toEqual({
              critical: ofTier(ofTier(here, tier), "CRITICAL").length,
              warning: ofTier(ofTier(here, tier), "WARNING").length,
            });
          }
        }
      }
      expect(await store.countSettledElevated(partner.id)).toBe(settled.length);
      const last = byScoring.at(2)!;
      expect(await store.elevatedAfter(partner.id, last, 100)).toEqual(byScoring.slice(3));
      for (const tier of ["GOOD", "WARNING", "CRITICAL"] as const) {
        expect(await store.countTier(partner.id, tier)).toBe(ofTier(all, tier).length);
        expect(await store.tierAfter(partner.id, tier, 4, 3)).toEqual(
          ofTier(all, tier)
            .filter(({ seq }) => seq > 4)
            .slice(0, 3),
        );
      }
      const narrow = {
        propertyIds: [elm.id, oak.id],
        elevated: true,
        system: "plumbing",
        state: "NY",
      } as const;
      const inElm = byScore.filter(
        (one) => one.propertyId === elm.id && knowledge.component(one.defId).system === "plumbing",
      );
      expect(await store.narrowPage(narrow, ALL)).toEqual(inElm);
      expect(await store.narrowPage({ ...narrow, byCost: true }, ALL)).toEqual(inElm.toSorted(byCost));
      expect(await store.narrowPage({ applianceId: roof.id, tier: "GOOD" }, { limit: 2, offset: 1 })).toEqual(
        ofTier(
          all.filter((one) => one.applianceId === roof.id),
          "GOOD",
        ).slice(1, 3),
      );
      expect(await store.narrowPage({ propertyIds: [] }, ALL)).toEqual([]);
      const ofElm = all.filter((one) => one.propertyId === elm.id);
      expect(await store.countNarrow({ propertyIds: [elm.id] })).toEqual({
        GOOD: ofTier(ofElm, "GOOD").length,
        WARNING: ofTier(ofElm, "WARNING").length,
        CRITICAL: ofTier(ofElm, "CRITICAL").length,
      });
    }

    test("are listed by tier, score, location and time of scoring, after a snapshot and after single scorings", async () => {
      await compareLists();
      fixture.time.now += 1000;
      await fixture.write(partner, (writer) => rescoreProperty(writer, oak, "all", "history"));
      await compareLists();
    });

    test("are changed only in the given fields", async () => {
      const store = read().components;
      const [first] = await store.rowsOfAppliance(roof.id);
      const write = fixture.store.write;
      await write((tx) =>
        tx.components.saveDates(first!.id, { lastReplaced: "2020-02-29", lastServiced: null }),
      );
      await write((tx) => tx.components.update(first!.id, { installYear: 1986 }));
      await write((tx) => tx.components.setAnnouncedTier(first!.id, "WARNING"));
      const moved = {
        ...first!,
        lastReplaced: "2020-02-29",
        installYear: 1986,
        announcedTier: "WARNING" as const,
      };
      expect(await store.find(partner.id, first!.id)).toEqual(moved);
      const listed = await store.page(partner.id, ALL);
      expect(listed.find(({ id }) => id === first!.id)).toEqual(moved);
      const score = { ...moved, rate: 1.5, hazardRatio: 0.25, acuteHazard: 1e-9, scoredOn: "2026-03-11" };
      await write(async (tx) => tx.components.saveScore(score, "aged"));
      expect(await store.find(partner.id, first!.id)).toEqual(score);
      const settled = { ...score, trendScore: 61, announcedTier: "GOOD" as const, rescoredAt: NOW + 5 };
      await write(async (tx) => tx.components.saveScore(settled, "settled"));
      expect(await store.find(partner.id, first!.id)).toEqual(settled);
      const ranked = { ...settled, riskScore: 62 };
      await write(async (tx) => tx.components.saveScore(ranked, "ranked"));
      expect(await store.find(partner.id, first!.id)).toEqual(ranked);
      const costly = { ...ranked, riskScore: 63, expectedCostCents: 7 };
      await write(async (tx) => tx.components.saveScore(costly, "ranked", true));
      expect(await store.find(partner.id, first!.id)).toEqual(costly);
      await write(async (tx) => tx.components.saveScore(first!, "moved", true));
      await write((tx) => tx.components.saveDates(first!.id, first!));
      await write((tx) => tx.components.update(first!.id, { installYear: first!.installYear }));
      expect(await store.find(partner.id, first!.id)).toEqual(first);
      const inSteps = await write(async (tx) => {
        const seen: (number | undefined)[] = [];
        for (let last: number | undefined = 0; last !== undefined; ) {
          last = await tx.components.setState(elm.id, "NY", last, 4);
          seen.push(last);
        }
        return seen;
      });
      expect(inSteps.length).toBe(Math.ceil((await store.rowsOfProperty(elm.id)).length / 4) + 1);
    });
  });

  test("sums equal those over the rows, also for large numbers", async () => {
    const { totals, components } = read();
    const sum = await totals.ofPartner(partner.id);
    const all = await components.page(partner.id, ALL);
    expect(sum).toMatchObject({
      properties: 3,
      appliances: 4,
      components: all.length,
      serviceEvents: 0,
      events: 7,
    });
    expect(sum.critical).toBe(all.filter(({ riskTier }) => riskTier === "CRITICAL").length);
    expect((await totals.ofDemoProperties(partner.id)).map(({ appliances }) => appliances)).toEqual([2]);
    const before = await totals.ofProperty(strange.id);
    await fixture.store.write(async (tx) => {
      await tx.totals.addToProperty(strange.id, { ...before, rcvCents: LARGE, criticalReactiveCents: LARGE });
      await tx.totals.addToPartner(partner.id, { warningReactiveCents: LARGE });
      await tx.totals.addToCounter(other.id, 7, 3, 2);
      await tx.totals.addToCounter(other.id, 7, 3, -5);
    });
    expect(await totals.ofProperty(strange.id)).toMatchObject({
      rcvCents: LARGE,
      criticalReactiveCents: LARGE,
    });
    expect((await totals.ofPartner(partner.id)).warningReactiveCents).toBe(sum.warningReactiveCents + LARGE);
    await fixture.store.write((tx) => tx.totals.addToPartner(partner.id, { warningReactiveCents: -LARGE }));
    expect(await totals.ofPartner(partner.id)).toEqual(sum);
  });

  describe("retired rows", () => {
    const set = async (retiredAt: string | null) => {
      await fixture.write(partner, (writer) => changeAppliance(writer, heater.id, { retiredAt }));
      await fixture.write(partner, (writer) => changeProperty(writer, oak.id, { retiredAt }));
    };
    beforeAll(() => set(DAY));
    afterAll(() => set(null));

    test("are in no list but those that ask for them, in the order of creation", async () => {
      const { properties, appliances, totals } = read();
      const { id } = partner;
      expect(ids(await properties.page(id, ALL))).toEqual(ids([elm, strange]));
      expect(ids(await properties.page(id, { limit: 5, offset: 1 }))).toEqual([strange.id]);
      expect((await properties.countedPage(id, { limit: 5, offset: 1 })).rows[0]).toMatchObject({
        id: strange.id,
      });
      expect(await properties.countedPage(id, { limit: 5, offset: 7 })).toEqual({ rows: [], total: 2 });
      expect(
        (await properties.portfolioPage(id, { limit: 5, offset: 1 })).map((row) => row.property.id),
      ).toEqual([strange.id]);
      expect(ids(await properties.ofAddressAfter(id, oak, 0, 9))).not.toContain(oak.id);
      expect(ids(await properties.retiredOfAddressAfter(id, oak, 0, 9))).toEqual([oak.id]);
      expect(ids(await properties.numbered(id, 1, 3))).toEqual(ids([oak, strange]));
      expect(ids(await properties.forCalibration("", 1000)).toSorted()).toContain(oak.id);
      expect(ids(await properties.forSnapshot("", 1000))).not.toContain(oak.id);
      expect(await properties.retiring("2099-01-01", 10)).toEqual([]);
      const listed = await appliances.page(id, ALL);
      expect(ids(listed)).toEqual([roof.id]);
      expect(ids(await appliances.numbered(id, 0, 10))).toHaveLength(4);
      expect(ids(await appliances.numbered(id, 0, 1))).toEqual([heater.id]);
      expect(ids(await appliances.pageOfRetired(id, { limit: 1, offset: 0 }))).toEqual([heater.id]);
      expect(ids(await appliances.pageOfProperty(elm.id, ALL, "retired"))).toEqual([heater.id]);
      expect(ids(await appliances.pageOfProperty(elm.id, ALL, "all"))).toEqual([heater.id, roof.id]);
      const ofOak = (await appliances.numbered(id, 0, 10)).filter(({ propertyId }) => propertyId === oak.id);
      expect(ofOak).toHaveLength(2);
      expect(await appliances.pageOfProperty(oak.id, ALL, "retired")).toEqual(ofOak);
      expect(await appliances.pageOfProperty(oak.id, { limit: 5, offset: 1 }, "all")).toEqual([ofOak[1]!]);
      expect(await appliances.countOfProperty(elm.id, "all")).toBe(2);
      expect(await appliances.countOfProperty(elm.id)).toBe(1);
      expect(await appliances.retiring("2099-01-01", 10)).toEqual([]);
      expect(ids(await appliances.retiredOfPropertyAfter(oak.id, 0, 1))).toHaveLength(1);
      expect(await appliances.retiredForScoringAfter(elm.id, 0, 10)).toMatchObject([
        { id: heater.id, retiredAt: DAY },
      ]);
      expect(ids(await appliances.withSerial(elm.id, "S 1"))).toEqual([heater.id]);
      expect(await appliances.withSerialOfPartner(id, "S 1")).toHaveLength(2);
      const stored = await totals.stored(id);
      expect(stored).toMatchObject({
        properties: 3,
        appliances: 4,
        retiredProperties: 1,
        retiredAppliances: 3,
      });
      expect(await totals.ofPartner(id)).toMatchObject({ properties: 2, appliances: 1 });
    });

    test("of components are read by their appliance and by their number", async () => {
      const { components, recounts, totals } = read();
      const { id } = partner;
      expect(await components.ofAppliance(heater.id)).toEqual([]);
      expect(await components.forScoring([heater.id])).toEqual([]);
      const retired = await components.retiredOfAppliances([heater.id]);
      expect(retired.length).toBeGreaterThan(0);
      expect(retired.every(({ seq, rescoredAt }) => seq < 0 && rescoredAt === null)).toBe(true);
      expect(ids(await components.retiredForScoring([heater.id]))).toEqual(ids(retired));
      expect(ids(await components.rowsOfRetired(heater.id))).toEqual(ids(retired));
      const { components: all, retiredComponents } = await totals.stored(id);
      expect(await components.numbered(id, 0, all)).toHaveLength(all);
      const listed = await components.page(id, ALL);
      expect(listed).toHaveLength(all - retiredComponents);
      expect(ids(await components.page(id, { limit: 2, offset: 3 }))).toEqual(ids(listed.slice(3, 5)));
      expect(ids(await components.after(id, listed[1]!.seq, 2))).toEqual(ids(listed.slice(2, 4)));
      const counts = await recounts.retired(id, 0);
      expect(counts.map(({ count }) => count)).toEqual([retiredComponents, 3, 1]);
      expect((await recounts.retired(id, 1)).map(({ count }) => count)).toEqual([0, 0, 0]);
    });
  });

  test("sums, counters and copies are set, recounted, and set right", async () => {
    const { store, time } = fixture;
    const deps = { store, knowledge, clock: () => time.now, yieldNow: async () => {} };
    // Corrects what these tests have written without a portfolio's writer.
    await recountDerivedData(deps, true);
    const NONE = Object.values(await recountDerivedData(deps, false));
    expect(NONE.every((rows) => rows === 0)).toBe(true);
    const totals = await read().totals.ofProperty(elm.id);
    const ofPartner = await read().totals.stored(partner.id);
    const [component] = components;
    const { recounts } = read();
    const { system } = knowledge.component(component!.defId);
    expect(await recounts.blocks(partner.id)).toContain(0);
    await fixture.store.write(async (tx) => {
      await tx.recounts.setProperty(component!.propertyId, { ...totals, critical: LARGE, hasUnseen: true });
      await tx.recounts.setPartner(partner.id, { ...ofPartner, warningReactiveCents: LARGE });
      await tx.recounts.setCounter(partner.id, 0, { bucket: component!.riskScore, count: 7_000 });
      await tx.recounts.setCopies(component!.propertyId, component!.defId, "amenity", TEXT);
      const tier = component!.riskTier === "GOOD" ? "CRITICAL" : "GOOD";
      await tx.recounts.setTier(component!.propertyId, component!.riskScore, tier);
      await tx.components.saveExpectedCost(component!.id, LARGE);
      const due = { dueCents: LARGE, unitTiming: null, dueHoldsUntil: "2026-12-31" };
      await tx.appliances.saveDue(component!.applianceId, due);
      await tx.appliances.saveDeficiencies(component!.applianceId, 3);
      await tx.properties.update(elm.id, { addressKey: TEXT });
      const number = (await tx.units.highest(elm.id)) + 1;
      await tx.units.insert([{ id: tx.newId("unit"), propertyId: elm.id, number, createdAt: tx.now }]);
      await tx.flags.set(partner.id, elm.id, { code: "zinsco", known: 3, suspected: 1, properties: 1 });
    });
    const [priced] = await recounts.priced(component!.propertyId, component!.seq - 1, 1);
    expect(priced).toMatchObject({
      seq: component!.seq,
      applianceId: component!.applianceId,
      defId: component!.defId,
      ownPlannedCents: null,
      ownFailedCents: null,
      grossAreaSqft: null,
      stories: null,
      copiedSystem: "amenity",
      copiedState: TEXT,
    });
    const found = await recountDerivedData(deps, false);
    expect(Object.values(found).every((rows) => rows > 0) || system === "amenity").toBe(true);
    expect(await recountDerivedData(deps, true)).toEqual(found);
    expect(Object.values(await recountDerivedData(deps, false))).toEqual(NONE);
    expect(await read().totals.stored(partner.id)).toEqual(ofPartner);
  });

  test("flags are stored with appliances, and counted by property and portfolio", async () => {
    const { appliances, flags } = read();
    expect(await flags.ofProperty(partner.id, elm.id)).toEqual([]);
    await fixture.store.write(async (tx) => {
      await tx.appliances.saveFlags(heater.id, "r22:notes zinsco:era");
      await tx.appliances.saveFlags(roof.id, "zinsco:era");
      await tx.appliances.saveDeficiencies(roof.id, 2);
      for (const propertyId of [elm.id, null]) {
        await tx.flags.add(partner.id, propertyId, { code: "zinsco", known: 1, suspected: 1, properties: 1 });
        await tx.flags.add(partner.id, propertyId, {
          code: "zinsco",
          known: -1,
          suspected: 1,
          properties: 0,
        });
        await tx.flags.add(partner.id, propertyId, { code: "r22", known: 1, suspected: 0, properties: 1 });
      }
    });
    expect((await appliances.find(partner.id, heater.id))!.flags).toBe("r22:notes zinsco:era");
    expect((await appliances.find(partner.id, roof.id))!.deficiencies).toBe(2);
    const counts = [
      { code: "r22", known: 1, suspected: 0, properties: 1 },
      { code: "zinsco", known: 0, suspected: 2, properties: 1 },
    ];
    expect(await flags.ofProperty(partner.id, elm.id)).toEqual(counts);
    expect(await flags.ofPartner(partner.id)).toEqual(counts);
    expect((await flags.sumOfProperties(partner.id)).sort((a, b) => (a.code < b.code ? -1 : 1))).toEqual(
      counts,
    );
    expect(await flags.ofProperties([elm.id, oak.id])).toEqual(
      new Map([[elm.id, counts.map((count) => ({ propertyId: elm.id, ...count }))]]),
    );
    expect(await flags.ofProperties([])).toEqual(new Map());
    expect(await flags.ofProperties([elm.id, oak.id], partner.id)).toEqual(
      await flags.ofProperties([elm.id, oak.id]),
    );
    expect(await flags.ofProperties([elm.id], other.id)).toEqual(new Map());
    const sums = await flags.sumOf([elm.id, oak.id]);
    expect(sums.sort((a, b) => (a.code < b.code ? -1 : 1))).toEqual(counts);
    expect(await flags.sumOf([oak.id])).toEqual([]);
    expect(await flags.sumOf([])).toEqual([]);
    const { propertyFilters } = read();
    for (const by of [{}, { state: elm.state }])
      expect(
        (await propertyFilters.inRange(partner.id, { ...by, flag: "zinsco" }, 0, 1000)).map(({ seq }) => seq),
      ).toEqual([elm.seq]);
    expect(await propertyFilters.inRange(partner.id, { flag: "challenger" }, 0, 1000)).toEqual([]);
    const stored = await flags.stored(partner.id, [elm.id]);
    expect(stored.find(({ code }) => code === "r22")).toEqual({ propertyId: elm.id, ...counts[0]! });
    expect((await flags.recount([elm.id, oak.id])).sort((a, b) => (a.flags < b.flags ? -1 : 1))).toEqual([
      { propertyId: elm.id, flags: "r22:notes zinsco:era", count: 1 },
      { propertyId: elm.id, flags: "zinsco:era", count: 1 },
    ]);
    await fixture.store.write(async (tx) => {
      for (const { id } of [heater, roof]) await tx.appliances.saveFlags(id, "");
      await tx.appliances.saveDeficiencies(roof.id, 0);
      for (const propertyId of [elm.id, null])
        for (const { code } of counts)
          await tx.flags.set(partner.id, propertyId, { code, known: 0, suspected: 0, properties: 0 });
    });
    expect(await flags.ofPartner(partner.id)).toEqual([]);
  });

  describe("the history", () => {
    const EVENT = {
      componentId: null,
      partsCostCents: null,
      laborCostCents: null,
      totalCostCents: null,
      technician: null,
      notes: null,
      conditionAfter: null,
    };
    const REPAIR = { technician: "Ann", totalCostCents: LARGE };
    test("of service is read by appliance, component and day", async () => {
      const [first, second] = await read().components.ofAppliance(roof.id);
      const events = await fixture.write(partner, async (writer) => {
        const log = new ServiceLog(writer);
        const inputs = [
          { eventType: "Inspection", date: "2024-05-01", conditionAfter: "good" },
          { eventType: "Inspection", date: "2025-05-01", conditionAfter: "poor", notes: TEXT },
          { eventType: "Inspection", date: "2023-01-01", conditionAfter: "good", totalCostCents: LARGE },
          { eventType: "Repair", date: "2025-05-01", componentId: first!.id, notes: "leaking", ...REPAIR },
          { eventType: "Replacement", date: "2025-06-30", componentId: second!.id, partsCostCents: 0 },
          { eventType: "Replacement", date: "2025-06-30" },
        ] as const;
        const made = [];
        for (const input of inputs) made.push(await log.add({ ...EVENT, ...input, applianceId: roof.id }));
        await log.finish();
        return made;
      });
      const { serviceEvents } = read();
      /** Without what is kept of its note. */
      const plain = <E extends object>(event: E | undefined) => {
        const {
          noteKey: _,
          findings: __,
          readBy: ___,
          notedInspections: ____,
          hazards: _____,
          ...rest
        } = event as Record<string, unknown>;
        return rest as unknown as ServiceEvent;
      };
      expect(plain(await serviceEvents.find(partner.id, events[2]!.id))).toEqual(events[2]!);
      expect(await serviceEvents.find(other.id, events[2]!.id)).toBeUndefined();
      const byDay = [...events].sort((a, b) => (a.date + a.id < b.date + b.id ? -1 : 1));
      expect((await serviceEvents.ofAppliance(roof.id)).map(plain)).toEqual(byDay);
      const ofFirst = byDay
        .filter(({ componentId }) => componentId === null || componentId === first!.id)
        .reverse();
      expect((await serviceEvents.ofComponent(first!, 99)).map(plain)).toEqual(ofFirst);
      expect(ids(await serviceEvents.ofComponent(first!, 2))).toEqual(ids(ofFirst.slice(0, 2)));
      expect(ids(await serviceEvents.ofComponent(first!, 2, ofFirst[1]))).toEqual(ids(ofFirst.slice(2, 4)));
      const noYield = async () => {};
      const earliest = async (from: string, before: string, { id } = elm) =>
        (await serviceEvents.earliestDays([{ propertyId: id, from, before }], noYield)).get(id) ?? null;
      expect(await earliest("2022-01-01", "2025-06-30")).toBe("2023-01-01");
      expect(await earliest("2023-01-02", "2025-06-30")).toBe("2024-05-01");
      expect(await earliest("2024-05-01", "2024-05-02")).toBe("2024-05-01");
      expect(await earliest("2024-05-02", "2025-05-01")).toBeNull();
      expect(await earliest("2022-01-01", "2025-06-30", oak)).toBeNull();
      const [early, late] = [
        { from: "2022-01-01", before: "2025-06-30" },
        { from: "2023-01-02", before: "2025-06-30" },
      ];
      for (const [own, day] of [
        [early, "2023-01-01"],
        [late, "2024-05-01"],
      ] as const)
        expect(
          await serviceEvents.earliestDays(
            [
              { propertyId: oak.id, ...early! },
              { propertyId: elm.id, ...own! },
            ],
            noYield,
          ),
        ).toEqual(new Map([[elm.id, day]]));
      expect(await serviceEvents.earliestDays([], noYield)).toEqual(new Map());
      const all = [...(await serviceEvents.ofAppliances([roof.id, heater.id], 100))!].map(plain);
      expect(all.sort((a, b) => (a.date + a.id < b.date + b.id ? -1 : 1))).toEqual(byDay);
      expect(await serviceEvents.ofAppliances([roof.id], byDay.length)).toHaveLength(byDay.length);
      expect(await serviceEvents.ofAppliances([roof.id], byDay.length - 1)).toBeUndefined();
      expect(await serviceEvents.ofAppliances([], 0)).toEqual([]);
      const day = await serviceEvents.ofDayAfter(roof.id, "2025-06-30", "", 100);
      const there = events.filter(
        ({ applianceId, date }) => applianceId === roof.id && date === "2025-06-30",
      );
      expect(day).toEqual(
        there
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .map(({ id, componentId, eventType, createdAt }) => ({ id, componentId, eventType, createdAt })),
      );
      expect(await serviceEvents.ofDayAfter(roof.id, "2025-06-30", day[0]!.id, 1)).toEqual([day[1]!]);
      const subjectOf = (componentId: string | null) => ({ applianceId: roof.id, componentId });
      const [ofSecond, ofWhole] = [events[4]!, events[5]!];
      const replacementsOn = (date: string) => read().work.replacementsOnDay(roof.id, date);
      expect(new Set(await replacementsOn("2025-06-30"))).toEqual(
        new Set([
          { componentId: second!.id, id: ofSecond.id },
          { componentId: null, id: ofWhole.id },
        ]),
      );
      expect(await replacementsOn("2025-05-01")).toEqual([]);
      const repair = { ...events[3]!, ...REPAIR };
      const same = async (other: object) => (await read().work.sameEvent({ ...repair, ...other })) ?? null;
      const unstated = { notes: null, totalCostCents: null, conditionAfter: null };
      for (const other of [{}, unstated, { totalCostCents: null }])
        expect(await same(other), JSON.stringify(other)).toBe(repair.id);
      for (const other of [
        ...[{ applianceId: heater.id }, { componentId: null }, { componentId: second!.id }],
        ...[{ eventType: "Cleaning" }, { date: "2025-05-02" }, { technician: "Bo" }, { notes: "Leaking" }],
        ...[{ totalCostCents: LARGE + 1 }, { conditionAfter: "good" }],
      ])
        expect(await same(other), JSON.stringify(other)).toBeNull();
      const markedAt = Date.parse("2025-06-30T23:00:00Z");
      const after = async (componentId: string | null, markedAt: number, without = "") =>
        (await read().work.replacementAfter({ ...subjectOf(componentId), markedAt }, without)) ?? null;
      expect(await after(second!.id, markedAt)).toBe(ofSecond.id);
      expect(await after(second!.id, markedAt, ofSecond.id)).toBe(ofWhole.id);
      expect(await after(first!.id, markedAt, ofWhole.id)).toBeNull();
      expect(await after(null, markedAt)).toBe(ofWhole.id);
      expect(await after(null, markedAt + 3_600_000), "on the day after").toBeNull();
      expect(await after(null, ofWhole.createdAt + 1)).toBeNull();
      const matched = await serviceEvents.matchedOfDayAfter(roof.id, "2025-06-30", "", 100);
      expect(matched).toEqual(
        there
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .map(({ id, componentId, eventType, notes }) => ({ id, componentId, eventType, notes })),
      );
      expect(await serviceEvents.matchedOfDayAfter(roof.id, "2025-06-30", day[0]!.id, 1)).toEqual([
        matched[1]!,
      ]);

      const read_by = knowledge.keywords.version;
      const evidence = await serviceEvents.evidence([roof.id, heater.id], read_by, 100);
      expect(ids(evidence).sort()).toEqual(ids(events).sort());
      expect(evidence.every(({ unread }) => unread === null)).toBe(true);
      const reread = await serviceEvents.evidence([roof.id], "another", 100);
      expect(new Set(reread.map(({ unread }) => unread))).toEqual(new Set([null, TEXT, "leaking"]));
      expect(await serviceEvents.evidence([], read_by, 100)).toEqual([]);
      expect(await serviceEvents.evidence([roof.id], read_by, 2)).toHaveLength(2);
      const ofRoof = evidence.filter(({ applianceId }) => applianceId === roof.id);
      const ordered = ofRoof.toSorted((a, b) => (`${a.date} ${a.id}` < `${b.date} ${b.id}` ? -1 : 1));
      const pages = [];
      for (let last: (typeof evidence)[number] | undefined; ; ) {
        const page = await serviceEvents.evidenceAfter(roof.id, read_by, last, 2);
        pages.push(...page);
        last = page.at(-1);
        if (!last) break;
      }
      expect(pages).toEqual(ordered);
      await fixture.store.write((tx) =>
        tx.serviceEvents.saveReading(events[3]!.id, {
          noteKey: "k",
          findings: "leak/2",
          notedInspections: "four_hour_test",
          readBy: "another",
          hazards: "zinsco",
        }),
      );
      expect(
        (await serviceEvents.evidence([roof.id], "another", 100)).find(({ id }) => id === events[3]!.id),
      ).toMatchObject({
        noteKey: "k",
        findings: "leak/2",
        hazards: "zinsco",
        unread: null,
        componentId: first!.id,
      });
      const correction = { ...EVENT, totalCostCents: 5, technician: TEXT, conditionAfter: "fair" as const };
      const { notes: _, componentId: __, ...changed } = correction;
      const conditionScore = { score: 3, scale: [1, 5] as const };
      const corrected = { ...changed, inspectionTypes: ["semiannual_inspection"], conditionScore };
      const reading = {
        noteKey: "k",
        findings: "leak/2",
        notedInspections: "four_hour_test",
        hazards: null,
        readBy: "another",
      };
      await fixture.store.write((tx) => tx.serviceEvents.update({ ...events[3]!, ...corrected }, reading));
      expect(plain(await serviceEvents.find(partner.id, events[3]!.id))).toEqual({
        ...events[3]!,
        ...corrected,
      });

      const inspections = await serviceEvents.inspections([roof.id, heater.id], "another", 100);
      expect(ids(inspections).sort()).toEqual(ids(events).sort());
      const rated = inspections.filter(({ isRated }) => isRated);
      expect(ids(rated)).toEqual([events[3]!.id]);
      expect(inspections.find(({ id }) => id === events[3]!.id)).toEqual({
        id: events[3]!.id,
        applianceId: roof.id,
        eventType: "Repair",
        date: "2025-05-01",
        conditionAfter: "fair",
        isRated: rated[0]!.isRated,
        componentDefId: first!.defId,
        inspectionTypes: '["semiannual_inspection"]',
        notedInspections: "four_hour_test",
        unread: null,
      });
      expect(await serviceEvents.inspections([roof.id], read_by, 2)).toHaveLength(2);
      const inOrder = [];
      for (let last: (typeof inspections)[number] | undefined; ; ) {
        const page = await serviceEvents.inspectionsAfter(roof.id, "another", last, 2);
        inOrder.push(...page);
        last = page.at(-1);
        if (!last) break;
      }
      expect(ids(inOrder)).toEqual(ids(byDay));

      const start = { date: "", id: "" };
      const move = (after: typeof start, to: string, limit: number) =>
        fixture.store.write((tx) => tx.serviceEvents.moveAfter(roof.id, after, to, limit));
      const [oldest] = byDay;
      expect(await move(start, oak.id, 1)).toMatchObject({ date: oldest!.date, id: oldest!.id });
      const homes = (await serviceEvents.ofAppliance(roof.id)).map(({ propertyId }) => propertyId);
      expect(homes).toEqual(byDay.map((_, at) => (at === 0 ? oak.id : elm.id)));
      await move(start, elm.id, 1);
      expect(await move(byDay.at(-1)!, oak.id, 1)).toBeUndefined();
      const dated = byDay.map(({ id, date, eventType, voidedAt, ...event }) => ({
        id,
        date,
        eventType,
        voidedAt,
        componentId: event.componentId,
      }));
      expect(await serviceEvents.daysAfter(roof.id, start, byDay.length)).toEqual(dated);
      expect(await serviceEvents.daysAfter(roof.id, byDay[0]!, 1)).toEqual(dated.slice(1, 2));
      expect(await serviceEvents.ownerOf(events[0]!.id)).toBe(partner.id);
      expect(await serviceEvents.ownerOf("SE_")).toBeUndefined();
      const outcomes = await serviceEvents.outcomesOf(second!.id);
      expect(outcomes.map(({ serviceEventId }) => serviceEventId).sort()).toEqual(
        [events[4]!.id, events[5]!.id].sort(),
      );
      await fixture.store.write((tx) =>
        tx.serviceEvents.insertOutcome({ ...outcomes[0]!, probability: 0.5 }),
      );
      expect(await serviceEvents.outcomesOf(second!.id), "one is kept already").toEqual(outcomes);

      const voided = { ...events[5]!, voidedAt: NOW, voidReason: TEXT };
      await fixture.write(partner, async (writer) => {
        await writer.updateServiceEvent(events[5]!, voided);
        await writer.tx.serviceEvents.deleteOutcomes(voided.id);
      });
      expect(plain(await serviceEvents.find(partner.id, voided.id))).toEqual(voided);
      expect(await replacementsOn("2025-06-30")).toEqual([{ componentId: second!.id, id: ofSecond.id }]);
      const left = events.filter(({ id }) => id !== voided.id).map(({ id }) => id);
      const none = { ids: (rows: { id: string }[]) => ids(rows).sort() };
      expect(none.ids(await serviceEvents.ofAppliance(roof.id))).toEqual(left.toSorted());
      expect(none.ids((await serviceEvents.ofAppliances([roof.id], 100))!)).toEqual(left.toSorted());
      expect(none.ids(await serviceEvents.evidence([roof.id], read_by, 100))).toEqual(left.toSorted());
      expect(none.ids(await serviceEvents.evidenceAfter(roof.id, read_by, undefined, 100))).toEqual(
        left.toSorted(),
      );
      expect(none.ids(await serviceEvents.inspections([roof.id], read_by, 100))).toEqual(left.toSorted());
      expect(none.ids(await serviceEvents.inspectionsAfter(roof.id, read_by, undefined, 100))).toEqual(
        left.toSorted(),
      );
      expect(await serviceEvents.ofDayAfter(roof.id, "2025-06-30", "", 100)).toHaveLength(1);
      expect(await serviceEvents.matchedOfDayAfter(roof.id, "2025-06-30", "", 100)).toHaveLength(1);
      expect(ids(await serviceEvents.ofComponent(second!, 99))).not.toContain(voided.id);
      expect((await serviceEvents.outcomesOf(second!.id)).map((one) => one.serviceEventId)).toEqual([
        events[4]!.id,
      ]);
      const numbered = await read().appliances.ofPropertyAfter(elm.id, 0, 100);
      const countEvents = (after: number, limit: number) =>
        read().recounts.serviceEvents(elm.id, after, limit);
      expect(await countEvents(0, 100)).toEqual({ count: left.length, last: numbered.at(-1)!.seq });
      expect((await countEvents(0, 1)).last).toBe(numbered[0]!.seq);
      expect(await countEvents(numbered.at(-1)!.seq, 100)).toEqual({ count: 0, last: undefined });
      expect((await read().totals.ofProperty(elm.id)).serviceEvents).toBe(left.length);
    });

    test("of sensors has the smart events since a given time", async () => {
      const smart = {
        partnerId: partner.id,
        propertyId: elm.id,
        applianceId: heater.id,
        componentId: null,
        kind: "smart" as const,
        eventType: "leak",
        severity: "high" as const,
        sensorId: TEXT,
        metric: null,
        value: null,
        unit: null,
        notes: null,
        createdAt: NOW,
      };
      await fixture.store.write(async (tx) => {
        await tx.sensorEvents.insert({ ...smart, id: "PE_1", recordedAt: NOW - 10 });
        await tx.sensorEvents.insert({ ...smart, id: "PE_2", recordedAt: NOW });
        const meter = {
          kind: "meter" as const,
          metric: "kWh",
          value: 1.5e9,
          severity: null,
          eventType: null,
        };
        await tx.sensorEvents.insert({ ...smart, ...meter, id: "PE_3", recordedAt: NOW });
      });
      const { sensorEvents } = read();
      expect(await sensorEvents.smartEvidence([heater.id, roof.id], NOW, 10)).toEqual([
        {
          applianceId: heater.id,
          componentId: null,
          eventType: "leak",
          severity: "high",
          sensorId: TEXT,
          recordedAt: NOW,
        },
      ]);
      expect(await sensorEvents.smartEvidence([heater.id], 0, 10)).toHaveLength(2);
      expect(await sensorEvents.smartEvidence([heater.id], 0, 1)).toHaveLength(1);
      expect(await sensorEvents.smartEvidence([], 0, 10)).toEqual([]);
    });

    test("of a sensor is read from any position, newest first, even with many events at one time", async () => {
      const moments = [NOW - 20, NOW - 10, NOW - 10, NOW - 10, NOW - 10, NOW];
      await fixture.store.write(async (tx) => {
        for (const [i, recordedAt] of moments.entries())
          await tx.sensorEvents.insert({
            partnerId: partner.id,
            propertyId: elm.id,
            applianceId: roof.id,
            componentId: null,
            id: `PE_1${(i * 5) % 7}`,
            kind: "smart",
            eventType: "leak",
            severity: null,
            sensorId: `${i}`,
            metric: null,
            value: null,
            unit: null,
            notes: null,
            createdAt: NOW,
            recordedAt,
          });
      });
      const { sensorEvents } = read();
      const before = async (recordedAt: number, id: string, limit: number, since = 0) =>
        await sensorEvents.smartEvidenceBefore(roof.id, since, { recordedAt, id }, limit);
      const all = await before(NOW + 1, "", 10);
      expect(all.map(({ recordedAt }) => recordedAt)).toEqual(moments.toReversed());
      expect(all.map(({ sensorId }) => sensorId).sort()).toEqual(["0", "1", "2", "3", "4", "5"]);
      expect(await before(NOW + 1, "", 3)).toEqual(all.slice(0, 3));
      for (const [i, { recordedAt, id }] of all.entries())
        expect(await before(recordedAt, id, 2)).toEqual(all.slice(i + 1, i + 3));
      expect(await before(NOW, "", 10, NOW - 10)).toEqual(all.slice(1, 5));
      const none = { recordedAt: NOW, id: "" };
      expect(await sensorEvents.smartEvidenceBefore(heater.id, NOW, none, 9)).toEqual([]);
    });

    test("of bills is read by appliance and day, with the Emergency Repairs of a day first", async () => {
      const [part] = await read().components.ofAppliance(heater.id);
      const own = { ownPlannedCents: LARGE, ownFailedCents: null };
      const made = await fixture.write(partner, async (writer) => {
        await writer.tx.components.update(part!.id, own);
        const log = new ServiceLog(writer);
        const bill = { ...EVENT, totalCostCents: LARGE, date: "2025-07-02" };
        const inputs = [
          { ...bill, eventType: "Replacement", componentId: part!.id },
          { ...bill, eventType: "Emergency Repair" },
          { ...bill, eventType: "Inspection" },
          { ...bill, eventType: "Replacement", date: "2025-07-01", totalCostCents: null },
        ] as const;
        const events = [];
        for (const input of inputs) events.push(await log.add({ ...input, applianceId: heater.id }));
        await log.finish();
        return events;
      });
      const { serviceEvents } = read();
      const expected = [made[3]!, made[1]!, made[0]!].map(
        ({ id, applianceId, componentId, eventType, date, totalCostCents }) => ({
          id,
          applianceId,
          componentId,
          eventType,
          date,
          costCents: totalCostCents,
          componentDefId: componentId === null ? null : part!.defId,
          ...(componentId === null ? { ownPlannedCents: null, ownFailedCents: null } : own),
        }),
      );
      const billed = (from: string, last: (typeof expected)[number] | undefined, limit: number) =>
        serviceEvents.billedAfter([heater.id, "A_none"], from, last, limit);
      expect(await billed("2025-07-01", undefined, 10)).toEqual(expected);
      expect(await billed("2025-07-02", undefined, 10)).toEqual(expected.slice(1));
      expect(await billed("2025-07-01", expected[0], 1)).toEqual([expected[1]!]);
      expect(await billed("2025-07-01", expected[1], 9)).toEqual([expected[2]!]);
      expect(await serviceEvents.billedAfter([], "2020-01-01", undefined, 9)).toEqual([]);
      await fixture.write(partner, async (writer) => {
        const log = new ServiceLog(writer);
        await log.void(made[1]!, { reason: null });
        await log.finish();
      });
      expect(await billed("2025-07-01", undefined, 10)).toEqual([expected[0]!, expected[2]!]);
    });

    test("of cost books is replaced as a whole, and kept in its order", async () => {
      const { costLines } = read();
      const line = { id: "CST_2", typeId: "boiler", componentDefId: null, state: null, createdAt: NOW };
      const whole = { ...line, plannedCents: LARGE, failedCents: null, size: 1.25, asOf: DAY };
      const part = { ...whole, id: "CST_1", componentDefId: "boiler_burner", state: "NY" };
      const first = { ...whole, source: "own" as const };
      const second = { ...part, plannedCents: null, failedCents: 1, source: "history" as const };
      expect(await costLines.ofPartner(partner.id)).toEqual([]);
      await fixture.store.write((tx) => tx.costLines.replace(partner.id, [first, second]));
      expect(await costLines.ofPartner(partner.id)).toEqual([first, second]);
      expect(await costLines.ofPartner(other.id)).toEqual([]);
      await fixture.store.write((tx) => tx.costLines.replace(partner.id, [second]));
      expect(await costLines.ofPartner(partner.id)).toEqual([second]);
      const { costBook = null } = (await read().partners.find(partner.id))!;
      expect(await costLines.withDigest(partner.id)).toEqual({ costBook, lines: [second] });
      expect(await costLines.withDigest(other.id)).toEqual({ costBook: null, lines: [] });
      const many = Array.from({ length: 450 }, (_, nth) => ({ ...first, id: `CST_m${nth}` }));
      await fixture.store.write((tx) => tx.costLines.replace(partner.id, many));
      expect(await costLines.ofPartner(partner.id)).toEqual(many);
      const none = { ...first, plannedCents: null };
      await expect(fixture.store.write((tx) => tx.costLines.replace(partner.id, [none]))).rejects.toThrow();
      expect(await costLines.ofPartner(partner.id)).toHaveLength(450);
      await fixture.store.write((tx) => tx.costLines.replace(partner.id, []));
      expect(await costLines.ofPartner(partner.id)).toEqual([]);
    });

    test("of standings keeps the latest of each property", async () => {
      const { standings } = read();
      const standing = (propertyId: string, day: string, others: number) => ({
        propertyId,
        day,
        portfolio: { others, lowerExpected: 1, lowerDamage: 0 },
        book: { others: LARGE, lowerExpected: 3, lowerDamage: 2 },
      });
      const [first, later] = [standing(elm.id, "2026-01-01", 1), standing(elm.id, "2026-01-02", 4)];
      const unknown = standing("P_purged", "2026-01-01", 1);
      const old = standing(strange.id, "2026-01-01", 1);
      await fixture.store.write((tx) => tx.standings.replace(partner.id, [first, unknown, old]));
      expect(await standings.ofProperty(elm.id)).toEqual(first);
      expect(await standings.ofProperty("P_purged")).toBeUndefined();
      await fixture.store.write((tx) => tx.standings.replace(partner.id, [later]));
      await fixture.store.write((tx) => tx.standings.keepOnly(other.id, "2026-01-02"));
      expect(await standings.ofProperty(strange.id)).toEqual(old);
      await fixture.store.write((tx) => tx.standings.keepOnly(partner.id, "2026-01-02"));
      expect(await standings.ofProperty(elm.id)).toEqual(later);
      expect(await standings.ofProperty(strange.id)).toBeUndefined();
      await fixture.store.write((tx) => tx.standings.keepOnly(partner.id, "2026-01-03"));
    });

    test("of trends of conditions adds to the points of a property and of the portfolio", async () => {
      const { conditionTrends } = read();
      // The values of thousands of buildings may exceed the numbers that are exact.
      const sums = { properties: 1, dueCents: LARGE, valueCents: 2 ** 60, expectedCents: 3 };
      const [early, late] = ["2020-01-06", "2020-01-13"];
      await fixture.store.write(async (tx) => {
        for (const id of [elm.id, null]) {
          await tx.conditionTrends.add(partner.id, id, late, sums);
          await tx.conditionTrends.add(partner.id, id, early, sums);
          await tx.conditionTrends.add(partner.id, id, early, { ...sums, dueCents: -LARGE });
        }
      });
      const added = { day: early, properties: 2, dueCents: 0, valueCents: 2 ** 61, expectedCents: 6 };
      for (const id of [elm.id, null])
        expect((await conditionTrends.points(partner.id, id)).slice(0, 2)).toEqual([
          added,
          { day: late, ...sums },
        ]);
      expect(await conditionTrends.points(other.id, elm.id)).toEqual([]);
      expect(await conditionTrends.ofDay(partner.id, [elm.id, "P_none"], early)).toEqual([
        { propertyId: elm.id, ...added },
      ]);
      expect(await conditionTrends.inputs([elm.id, "P_none"])).toEqual([
        expect.objectContaining({ propertyId: elm.id, grossAreaSqft: elm.grossAreaSqft }),
      ]);
      await fixture.store.write((tx) => tx.conditionTrends.prune(partner.id, [elm.id], late));
      for (const id of [elm.id, null])
        expect((await conditionTrends.points(partner.id, id))[0]!.day).toBe(late);
      const kept = (await conditionTrends.points(partner.id, elm.id)).length;
      await fixture.store.write((tx) => tx.conditionTrends.forgetAfter(other.id, "2000-01-01"));
      expect(await conditionTrends.points(partner.id, elm.id)).toHaveLength(kept);
      await fixture.store.write((tx) => tx.conditionTrends.forgetAfter(partner.id, "2000-01-01"));
      for (const id of [elm.id, null]) expect(await conditionTrends.points(partner.id, id)).toEqual([]);
    });

    test("of saved filters keeps one of a name", async () => {
      const { savedFilters } = read();
      const filter = { name: TEXT, query: "state=NY", savedAt: NOW };
      await fixture.store.write((tx) => tx.savedFilters.save(partner.id, filter));
      await fixture.store.write((tx) =>
        tx.savedFilters.save(partner.id, { ...filter, name: "A", query: "x" }),
      );
      await fixture.store.write((tx) =>
        tx.savedFilters.save(partner.id, { ...filter, query: "y", savedAt: LARGE }),
      );
      expect(await savedFilters.ofPartner(partner.id)).toEqual([
        { name: "A", query: "x", savedAt: NOW },
        { name: TEXT, query: "y", savedAt: LARGE },
      ]);
      expect(await savedFilters.ofPartner(other.id)).toEqual([]);
      await fixture.store.write((tx) => tx.savedFilters.remove(partner.id, "A"));
      expect((await savedFilters.ofPartner(partner.id)).map(({ name }) => name)).toEqual([TEXT]);
      await fixture.store.write((tx) => tx.savedFilters.remove(partner.id, TEXT));
    });

    test("of searches finds what begins with a text, whatever its case", async () => {
      const { search } = read();
      const found = async (text: string) =>
        (await search.properties(partner.id, text, 9)).map(({ id }) => id).sort();
      expect(await found(elm.name.slice(0, 3).toUpperCase())).toContain(elm.id);
      const street = elm.address.replace(/^[\d ]+/, "");
      for (const text of [elm.name, elm.address, street, street.toUpperCase()])
        expect(await found(text)).toContain(elm.id);
      expect(await found("no such place")).toEqual([]);
      expect(await search.properties(other.id, elm.name, 9)).not.toContainEqual(
        expect.objectContaining({ id: elm.id }),
      );
      expect(await search.properties(partner.id, strange.name.slice(0, 2), 1)).toHaveLength(1);
      expect(await search.appliances(partner.id, "no such serial", 9)).toEqual([]);
      expect(await search.claims(partner.id, "no such number", 9)).toEqual([]);
      expect(await search.claim(partner.id, "CLM_none")).toBeUndefined();
    });

    test("of searches of all partners finds the records of each, up to the limit", async () => {
      const { search } = read();
      const found = await search.properties(undefined, elm.name.slice(0, 3).toUpperCase(), 9);
      expect(found).toContainEqual(expect.objectContaining({ id: elm.id, partnerId: partner.id }));
      expect(await search.properties(undefined, strange.name.slice(0, 2), 1)).toHaveLength(1);
      expect(await search.properties(undefined, "no such place", 9)).toEqual([]);
      expect(await search.appliances(undefined, "no such serial", 9)).toEqual([]);
      expect(await search.claims(undefined, "no such number", 9)).toEqual([]);
      expect(await search.propertiesOfReference(undefined, "no such reference", 9)).toEqual([]);
      expect(await search.propertiesOfReference(partner.id, "no such reference", 9)).toEqual([]);
    });

    test("of actions orders, filters and sums them", async () => {
      const { planActions } = read();
      const mine = { partnerId: partner.id, today: DAY, without: [] as string[] };
      const action = {
        applianceId: heater.id,
        action: "replace_now" as const,
        system: "plumbing",
        state: "NY",
        tier: "CRITICAL" as const,
        dueOn: null,
        plannedCents: LARGE,
        waitingCents: 500,
        expectedCents: 7,
      };
      const later = addDays(DAY, 40);
      const some = [
        { ...action, subjectId: "C_a" },
        { ...action, subjectId: "C_b", waitingCents: 900, action: "replace_by" as const, dueOn: later },
        { ...action, subjectId: "C_c", waitingCents: -4, expectedCents: 90, system: "hvac", plannedCents: 3 },
        { ...action, subjectId: "C_d", waitingCents: 500, tier: "GOOD" as const, state: "VT" },
      ];
      const marks: Record<string, { state: "ordered" | "deferred"; until: string | null }> = {
        C_c: { state: "deferred", until: later },
      };
      await fixture.store.write(async (tx) => {
        await tx.planActions.drop(elm.id);
        await tx.planActions.drop(oak.id);
        await tx.planActions.add(
          { propertyId: elm.id, partnerId: partner.id },
          some.slice(0, 3),
          (id) => marks[id],
        );
        await tx.planActions.add(
          { propertyId: oak.id, partnerId: partner.id },
          some.slice(3),
          () => undefined,
        );
        await tx.planActions.mark(oak.id, "C_d", { state: "ordered", until: null });
      });
      const found = async (filter: object, order: "waiting" | "expected" = "waiting") => {
        const full = { ...mine, ...filter };
        const rows = await planActions.page(full, order, { limit: 9, offset: 0 });
        expect((await planActions.sums(full, order)).count).toBe(rows.length);
        return rows.map(({ subjectId }) => subjectId).join(" ");
      };
      expect(await found({})).toBe("C_b C_a C_d C_c");
      expect(await found({}, "expected")).toBe("C_c C_a C_b C_d");
      expect(await planActions.page(mine, "waiting", { limit: 1, offset: 2 })).toEqual([
        { subjectId: "C_d", applianceId: heater.id },
      ]);
      expect(await planActions.sums(mine, "waiting")).toEqual({
        count: 4,
        plannedCents: 3 * LARGE + 3,
        waitingCents: 1896,
        expectedCents: 111,
      });
      const ofAll = await planActions.sumsOfProperties(mine, "waiting", 0, 1000);
      expect(ofAll).toEqual(await planActions.sums(mine, "waiting"));
      const ofElm = await planActions.sumsOfProperties(mine, "waiting", elm.seq - 1, elm.seq);
      expect(ofElm).toEqual(await planActions.sums({ ...mine, propertyId: elm.id }, "waiting"));
      const good = await planActions.sumsOfProperties({ ...mine, tier: "GOOD" }, "waiting", 0, elm.seq);
      expect(good).toEqual({ count: 0, plannedCents: 0, waitingCents: 0, expectedCents: 0 });
      expect(await found({ propertyId: elm.id })).toBe("C_b C_a C_c");
      expect(await found({ without: [elm.id] })).toBe("C_d");
      expect(await found({ action: "replace_by" })).toBe("C_b");
      expect(await found({ system: "hvac" })).toBe("C_c");
      expect(await found({ state: "VT" })).toBe("C_d");
      expect(await found({ tier: "GOOD" })).toBe("C_d");
      expect(await found({ dueBy: DAY })).toBe("C_a C_d");
      expect(await found({ dueBy: later })).toBe("C_b C_a C_d C_c");
      expect(await found({ leastCents: 4 })).toBe("C_b C_a C_d");
      expect(await found({ mostCents: 3 })).toBe("C_c");
      expect(await found({ work: "open" })).toBe("C_b C_a");
      expect(await found({ work: "ordered" })).toBe("C_d");
      expect(await found({ work: "deferred" })).toBe("C_c");
      expect(await found({ work: "open", today: later })).toBe("C_b C_a C_c");
      await fixture.store.write((tx) => tx.planActions.mark(elm.id, "C_c", undefined));
      expect(await found({ work: "open", state: "NY", system: "hvac" })).toBe("C_c");
      await fixture.store.write((tx) => tx.planActions.drop(elm.id));
      expect(await found({})).toBe("C_d");
      expect(await planActions.sums({ ...mine, partnerId: other.id }, "expected")).toMatchObject({
        count: 0,
      });
    });

    test("of marks on work keeps the newest of a subject, and ends those from before an instant by an event", async () => {
      const { work } = read();
      const place = { partnerId: partner.id, propertyId: elm.id };
      const [one, two] = components as [Component, Component];
      const mark = { applianceId: one.applianceId, until: null, by: TEXT, reason: null, markedAt: NOW };
      const ordered = { ...mark, subjectId: one.id, componentId: one.id, state: "ordered" as const };
      const deferred = { ...mark, subjectId: two.id, componentId: two.id, state: "deferred" as const };
      const whole = { ...ordered, subjectId: one.applianceId, componentId: null, markedAt: NOW + 1 };
      await fixture.store.write((tx) => tx.work.save({ ...ordered, by: "first", markedAt: 1 }, place));
      for (const one of [ordered, { ...deferred, until: DAY, reason: TEXT }, whole])
        await fixture.store.write((tx) => tx.work.save(one, place));
      const all = [ordered, { ...deferred, until: DAY, reason: TEXT }, whole].sort((a, b) =>
        a.subjectId < b.subjectId ? -1 : 1,
      );
      expect(await work.ofProperty(elm.id, "", 9)).toEqual(all);
      expect(await work.ofProperty(elm.id, all[0]!.subjectId, 1)).toEqual([all[1]!]);
      expect(await work.find(one.id)).toEqual(ordered);
      expect(await work.find("C_none")).toBeUndefined();
      expect(await work.ofSubjects([whole.subjectId, "C_none"])).toEqual([whole]);
      await fixture.store.write((tx) => tx.work.follow([one.id, two.id], oak.id));
      expect((await work.ofProperty(oak.id, "", 9)).map(({ subjectId }) => subjectId)).toEqual(
        [one.id, two.id].sort(),
      );
      await fixture.store.write((tx) => tx.work.end([one.id, whole.subjectId], NOW + 1, "SE_1"));
      expect(await work.ofSubjects([one.id, two.id, whole.subjectId])).toHaveLength(2);
      await fixture.store.write((tx) => tx.work.end([one.id, two.id, whole.subjectId], NOW + 2, "SE_2"));
      expect(await work.ofProperty(oak.id, "", 9)).toEqual([]);
      expect(await work.find(one.id)).toBeUndefined();
      expect(await work.endedBy("SE_1")).toEqual([ordered]);
      expect(await work.endedBy("SE_2")).toHaveLength(2);
      await fixture.store.write(async (tx) => {
        await tx.work.setEnd(one.id, null);
        await tx.work.setEnd(two.id, "SE_3");
        await tx.work.save(whole, place);
      });
      expect(await work.ofSubjects([one.id, two.id, whole.subjectId])).toHaveLength(2);
      expect(await work.find(one.id)).toEqual(ordered);
      expect(await work.find(whole.subjectId), "marked again").toEqual(whole);
      expect((await work.endedBy("SE_3")).map(({ subjectId }) => subjectId)).toEqual([two.id]);
      await fixture.store.write((tx) => tx.work.remove(one.id));
      expect(await work.find(one.id)).toBeUndefined();
    });

    test("of recalculations starts again at a new request, and ends only as it was started", async () => {
      const { recalculations } = read();
      const { id: partnerId } = partner;
      expect(await recalculations.ofPartner(partnerId)).toBeUndefined();
      await fixture.store.write((tx) => tx.recalculations.request(partnerId, NOW));
      await fixture.store.write((tx) => tx.recalculations.advance({ partnerId, requests: 1, doneSeq: 7 }));
      expect(await recalculations.ofPartner(partnerId)).toEqual({ partnerId, requests: 1, doneSeq: 7 });
      await fixture.store.write((tx) => tx.recalculations.request(partnerId, NOW + 1));
      const again = { partnerId, requests: 2, doneSeq: 0 };
      await fixture.store.write((tx) => tx.recalculations.advance({ partnerId, requests: 1, doneSeq: 9 }));
      expect(await recalculations.all()).toEqual([again]);
      expect(await fixture.store.write((tx) => tx.recalculations.finish({ partnerId, requests: 1 }))).toBe(
        false,
      );
      expect(await fixture.store.write((tx) => tx.recalculations.finish(again))).toBe(true);
      expect(await recalculations.ofPartner(partnerId)).toBeUndefined();
      await fixture.store.write((tx) => tx.recalculations.requestAll(NOW));
      const all = await recalculations.all();
      expect(all.map(({ partnerId }) => partnerId)).toEqual(ids(await read().partners.list()));
      await fixture.store.write(async (tx) => {
        for (const one of all) await tx.recalculations.finish(one);
      });
      // The snapshot of the fixture has set one.
      expect(await recalculations.basis()).toMatch(/^[0-9a-f]{64}$/);
      for (const basis of ["a", TEXT]) await fixture.store.write((tx) => tx.recalculations.setBasis(basis));
      expect(await recalculations.basis()).toBe(TEXT);
    });

    test("of claims and photos is read in order", async () => {
      const input = { claimType: "water_damage", claimNumber: null, carrier: TEXT, status: "open" as const };
      const made = await fixture.write(partner, async (writer) => {
        const log = new ClaimLog(writer, elm);
        const claims = [];
        for (const dateOfLoss of ["2024-01-01", "2025-01-01", "2024-01-01"])
          claims.push(
            await log.add({
              ...input,
              dateOfLoss,
              amountCents: LARGE,
              description: TEXT,
              claimNumber: `${TEXT} ${claims.length}`,
            }),
          );
        await log.finish();
        return claims;
      });
      const { claims, photos } = read();
      const newest = [...made].sort((a, b) => (a.dateOfLoss + a.id < b.dateOfLoss + b.id ? 1 : -1));
      expect(await claims.page(elm.id, ALL)).toEqual(newest);
      expect(await claims.page(elm.id, { limit: 1, offset: 1 })).toEqual([newest[1]!]);
      expect(await claims.count(elm.id)).toBe(3);
      expect(await claims.find(made[1]!.id)).toEqual(made[1]!);
      expect(await claims.find("CLM_")).toBeUndefined();
      const numbers = made.map(({ claimNumber }) => claimNumber!);
      expect(ids(await claims.ofNumbers(elm.id, numbers.slice(0, 2)))).toEqual(ids(made.slice(0, 2)));
      expect(await claims.ofNumbers(oak.id, numbers)).toEqual([]);
      expect(await claims.ofNumbers(elm.id, [])).toEqual([]);
      const move = (to: string) => fixture.store.write((tx) => tx.claims.move([made[0]!.id], to));
      await move(oak.id);
      expect(ids(await claims.page(oak.id, ALL))).toEqual([made[0]!.id]);
      await move(elm.id);
      const changed = { ...made[2]!, paidCents: LARGE, valuedAt: "2026-01-01", claimNumber: null };
      await fixture.write(partner, ({ tx }) => tx.claims.update(made[2]!.id, changed));
      expect(await claims.find(made[2]!.id)).toEqual(changed);
      await fixture.write(partner, ({ tx }) => tx.claims.update(made[2]!.id, made[2]!));
      expect(ids(await claims.evidence([elm.id, oak.id], 10)).sort()).toEqual(ids(made).sort());
      expect(await claims.evidence([elm.id, oak.id], 2)).toHaveLength(2);
      expect(await claims.evidence([], 10)).toEqual([]);
      const oldest = newest.toReversed();
      expect(ids(await claims.evidenceAfter(elm.id, undefined, 2))).toEqual(ids(oldest.slice(0, 2)));
      expect(ids(await claims.evidenceAfter(elm.id, oldest[1], 2))).toEqual(ids(oldest.slice(2)));
      const start = { dateOfLoss: oldest[0]!.dateOfLoss, id: "" };
      const counted = await claims.countedAfter(elm.id, start, 100);
      const { id, claimType, dateOfLoss, status, claimNumber, voidedAt, ...first } = oldest[0]!;
      const { amountCents, paidCents, outstandingCents } = first;
      expect(counted[0]).toEqual({
        id,
        claimType,
        dateOfLoss,
        status,
        claimNumber,
        voidedAt,
        amountCents,
        paidCents,
        outstandingCents,
      });
      expect(ids(counted)).toEqual(ids(oldest));
      expect(ids(await claims.countedAfter(elm.id, oldest[1]!, 1))).toEqual(ids(oldest.slice(2, 3)));

      const voided = { ...made[1]!, voidedAt: NOW, voidReason: TEXT };
      await fixture.write(partner, ({ tx }) => tx.claims.update(voided.id, voided));
      expect(await claims.find(voided.id)).toEqual(voided);
      const valid = ids(newest).filter((id) => id !== voided.id);
      expect(ids(await claims.page(elm.id, ALL))).toEqual(valid);
      expect(await claims.count(elm.id)).toBe(2);
      expect(await claims.ofNumbers(elm.id, [voided.claimNumber!])).toEqual([]);
      expect(ids(await claims.evidence([elm.id], 10)).sort()).toEqual(valid.toSorted());
      expect(ids(await claims.evidenceAfter(elm.id, undefined, 9))).toEqual(valid.toReversed());
      expect(ids(await claims.countedAfter(elm.id, start, 100))).toEqual(ids(oldest));

      const event = (await read().serviceEvents.ofAppliance(roof.id))[0]!;
      const photo = {
        id: "PH_2",
        partnerId: partner.id,
        applianceId: roof.id,
        serviceEventId: event.id,
        filename: "f2",
        originalName: TEXT,
        mediaType: "image/png" as const,
        bytes: 7,
        sha256: "x",
        uploadedAt: NOW,
      };
      const loose = { ...photo, id: "PH_1", serviceEventId: null, filename: "f1", uploadedAt: NOW + 1 };
      expect(await photos.any()).toBe(false);
      await fixture.store.write(async (tx) => {
        await tx.photos.insert(loose);
        await tx.photos.insert(photo);
      });
      expect(await photos.any()).toBe(true);
      const listed = [
        { ...photo, eventType: event.eventType, eventDate: event.date, isEventVoided: false },
        { ...loose, eventType: null, eventDate: null, isEventVoided: false },
      ];
      expect(await photos.page(roof.id, ALL)).toEqual(listed);
      expect(await photos.page(roof.id, { limit: 1, offset: 1 })).toEqual(listed.slice(1));
      expect(await photos.page(roof.id, { limit: 1, offset: 2 })).toEqual([]);
      expect([await photos.count(roof.id), await photos.count(heater.id)]).toEqual([2, 0]);
      expect(await photos.findByFilename(partner.id, "f1")).toEqual(loose);
      expect(await photos.findByFilename(other.id, "f1")).toBeUndefined();
      expect(await photos.known(["f2", "f3"])).toEqual(new Set(["f2"]));
      expect(await photos.known([])).toEqual(new Set());
      const remove = (applianceId: string, id: string) =>
        fixture.store.write((tx) => tx.photos.remove(applianceId, id));
      expect(await remove(heater.id, "PH_1")).toBeUndefined();
      expect(await remove(roof.id, "PH_1")).toEqual(loose);
      expect(await remove(roof.id, "PH_1")).toBeUndefined();
      expect(ids(await photos.page(roof.id, ALL))).toEqual(["PH_2"]);
      const ofEvent = { id: event.id, applianceId: roof.id };
      expect(await photos.countOfEvent({ ...ofEvent, applianceId: heater.id })).toBe(0);
      expect(await photos.countOfEvent(ofEvent)).toBe(1);
      await fixture.store.write((tx) => tx.photos.moveOfEvent(ofEvent, heater.id));
      expect(ids(await photos.page(heater.id, ALL))).toEqual(["PH_2"]);
      expect(await photos.count(roof.id)).toBe(0);
      await fixture.store.write((tx) =>
        tx.photos.moveOfEvent({ ...ofEvent, applianceId: heater.id }, roof.id),
      );
    });

    test("is a stream of the registrations, with their records", async () => {
      const { eventLog } = read();
      const all = await eventLog.page(partner.id, 1, 1000);
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
      expect(await eventLog.page(partner.id, 3, 2)).toEqual(all.slice(2, 4));
      const { id, name, address, city, state, source } = elm;
      expect(all[0]).toMatchObject({
        kind: "property",
        property: { id, name, address, city, state, source },
      });
      expect(all[0]).toMatchObject({ appliance: null, serviceEvent: null });
      const { typeId, propertyId } = heater;
      expect(all[3]).toMatchObject({ kind: "appliance", appliance: { id: heater.id, typeId, propertyId } });
      const costs = all.map(({ serviceEvent }) => serviceEvent?.totalCostCents);
      expect(costs).toContain(LARGE);
      expect(await eventLog.firstSince(partner.id, all[1]!.createdAt)).toBe(3);
      expect(await eventLog.firstSince(partner.id, all.at(-1)!.createdAt)).toBeUndefined();
      expect(await eventLog.firstSince(partner.id, 0)).toBe(1);
    });
  });

  test("snapshots are stored by day, with their trends", async () => {
    const { snapshots } = read();
    const [component] = await read().components.ofAppliance(heater.id);
    const run = (await snapshots.run(DAY))!;
    expect(run).toMatchObject({ day: DAY, takenAgain: false, modelVersion: knowledge.modelVersion });
    expect(await snapshots.run("2026-03-01")).toBeUndefined();
    expect(await snapshots.latestFinished()).toEqual(run);
    expect(await snapshots.latestSnapshotAt()).toBe(run.startedAt);
    expect(await snapshots.unfinished()).toBeUndefined();
    expect(await snapshots.trendRows(component!.id)).toEqual([{ day: DAY, riskScore: expect.any(Number) }]);

    const before = fixture.time.now;
    fixture.time.now += 40 * MS_PER_DAY;
    const later = addDays(DAY, 40);
    await fixture.store.write((tx) => tx.snapshots.start("2026-04-01", NOW, "1"));
    expect(await snapshots.unfinished()).toMatchObject({ day: "2026-04-01", finishedAt: null, cursor: null });
    const counts = {
      components: 9,
      changed: 5,
      critical: 1,
      warning: 2,
      announced: 3,
      queued: 4,
      suppressed: 6,
    };
    await fixture.store.write((tx) => tx.snapshots.advance("2026-04-01", counts, "P_7"));
    expect(await snapshots.unfinished()).toMatchObject({ ...counts, cursor: "P_7", finishedAt: null });
    await fixture.store.write((tx) =>
      tx.snapshots.update("2026-04-01", { finishedAt: NOW, takenAgain: true }),
    );
    expect(await snapshots.run("2026-04-01")).toMatchObject({ takenAgain: true, finishedAt: NOW });
    await snapshot(later);
    expect(await snapshots.days("2026-03-11")).toEqual(["2026-04-01", later]);
    expect(await snapshots.laterThan(DAY)).toBe(later);
    expect(await snapshots.laterThan(later)).toBeUndefined();
    const { runs, total } = await snapshots.page({ limit: 2, offset: 1 });
    expect([runs.map(({ day }) => day), total]).toEqual([["2026-04-01", DAY], 3]);

    await fixture.store.write(async (tx) => {
      await tx.snapshots.insertTrendRow(component!.id, "2025-01-01", 10);
      await tx.snapshots.insertTrendRow(component!.id, "2025-02-01", 99);
    });
    await fixture.store.write((tx) => tx.snapshots.insertTrendRow(component!.id, "2025-02-01", 20));
    expect((await snapshots.trendRows(component!.id)).slice(0, 2)).toEqual([
      { day: "2025-01-01", riskScore: 10 },
      { day: "2025-02-01", riskScore: 20 },
    ]);
    const trends = await read().export.trendRows([component!.id, "C_none"]);
    expect(trends.map(({ day, riskScore }) => ({ day, riskScore }))).toEqual(
      await snapshots.trendRows(component!.id),
    );
    expect(await read().export.trendRows([])).toEqual([]);
    await fixture.store.write((tx) => tx.snapshots.pruneTrends([], "2025-02-15"));
    expect((await snapshots.trendRows(component!.id))[0]!.day).toBe("2025-01-01");
    await fixture.store.write((tx) => tx.snapshots.pruneTrends([component!.id, "C_none"], "2025-02-15"));
    expect((await snapshots.trendRows(component!.id))[0]!.day).toBe("2025-02-01");
    await fixture.store.write((tx) => tx.snapshots.pruneRuns("2026-03-10"));
    expect((await snapshots.page(ALL)).total).toBe(3);

    fixture.time.now = before;
    expect(await discardLaterSnapshots({ store: fixture.store, actor: "cli:test" }, DAY)).toBe(2);
    expect((await snapshots.page(ALL)).runs).toEqual([run]);
    const trend = await snapshots.trendRows(component!.id);
    expect(trend.map(({ day }) => day)).toEqual(["2025-02-01", DAY]);
    expect((await read().components.find(partner.id, component!.id))!.trendScore).toBe(
      trend.at(-1)!.riskScore,
    );
    await fixture.store.write((tx) => tx.snapshots.pruneRuns("2026-03-11"));
    expect((await snapshots.page(ALL)).total).toBe(0);
  });
}
