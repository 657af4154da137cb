import { beforeAll, describe, expect, test } from "bun:test";
import { NO_LOSS_FIGURES } from "../../../src/domain/claim.ts";
import { emptyAssumptionCounts } from "../../../src/domain/figures/assumptions.ts";
import { createdAtOfDeliveryId } from "../../../src/domain/ids/record-ids.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import { budgetRankOf } from "../../../src/domain/planning/budget.ts";
import { emptyDueSums, emptyPlanSums } from "../../../src/domain/planning/plan-sums.ts";
import type { Property } from "../../../src/domain/property.ts";
import { REPLIES_KEPT_MS } from "../../../src/store/queries/idempotent-replies-queries.ts";
import type { LatestCalibration } from "../../../src/store/queries/models-queries.ts";
import type { PurgePlace } from "../../../src/store/queries/purge-partner-rows-queries.ts";
import { revisionNumber } from "../../support/revision-number.ts";
import {
  ALL,
  type Called,
  DAY,
  LARGE,
  type MakeDatabase,
  NOW,
  openTestStore,
  TEXT,
  type TestStore,
} from "./test-store.ts";

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Tests the queries of partners, deliveries, requests, plans, models and everything else outside a portfolio. */
export function operatorQueries(make: MakeDatabase, called: Called): void {
  let fixture: TestStore;
  let partner: Partner;
  let property: Property;
  const read = () => fixture.store.read;
  const write: TestStore["store"]["write"] = (run, options) => fixture.store.write(run, options);

  beforeAll(async () => {
    fixture = await openTestStore(await make(), called);
    partner = await fixture.addPartner({ name: TEXT, dailyBudget: 2_000_000_000 });
    property = await fixture.addProperty(partner, { unitCount: 4 });
  });

  describe("partners", () => {
    test("are read as they were stored, with a revision that increases", async () => {
      const { partners } = read();
      const { revision, ...found } = (await partners.find(partner.id))!;
      expect(found).toEqual(partner);
      expect(await partners.find("PARTNER_none")).toBeUndefined();
      expect([await partners.revision(partner.id), await partners.revision("PARTNER_none")]).toEqual([
        revision,
        undefined,
      ]);
      const number = async () => revisionNumber(await partners.revision(partner.id));
      const first = await number();
      await write((tx) => tx.partners.update(partner.id, { enabled: false, dailyBudget: 5 }));
      expect(await partners.find(partner.id)).toEqual({
        ...partner,
        enabled: false,
        dailyBudget: 5,
        revision: expect.any(String),
      });
      await write((tx) =>
        tx.partners.update(partner.id, { enabled: true, dailyBudget: partner.dailyBudget }),
      );
      await write((tx) => tx.partners.bumpRevision(partner.id));
      expect(await number()).toBe(first + 3);
      await write((tx) => tx.partners.bumpAllRevisions());
      expect(await number()).toBe(first + 4);
      expect((await partners.revisions()).get(partner.id)).toBe(await partners.revision(partner.id));
    });

    test("are sorted by the characters of their ids, in any locale of the database", async () => {
      const made = [
        "PARTNER_b",
        "PARTNER_B",
        "PARTNER__",
        "PARTNER_a",
        "PARTNER_10",
        "PARTNER_9",
        "PARTNER_é",
      ];
      for (const id of made) await fixture.addPartner({ id, enabled: id !== "PARTNER_b" });
      expect(ids(await read().book.members())).toEqual(ids(await read().partners.list()));
      const listed = ids(await read().partners.list()).filter((id) => made.includes(id));
      expect(listed).toEqual([...made].sort());
    });

    test("have credentials, with one active per kind", async () => {
      const { partners } = read();
      const credential = { partnerId: partner.id, createdAt: NOW };
      await write(async (tx) => {
        await tx.partners.insertCredential({
          ...credential,
          kind: "api_key",
          secretHash: "h1",
          clientId: null,
        });
        const secret = { kind: "client_secret" as const, secretHash: "s1", clientId: "c1" };
        await tx.partners.insertCredential({ ...credential, ...secret });
      });
      expect((await partners.findByApiKey("h1"))?.id).toBe(partner.id);
      expect(await partners.findByApiKey("s1")).toBeUndefined();
      const { revision: _, ...now } = (await partners.find(partner.id))!;
      expect(await partners.findByClientId("c1")).toMatchObject({ partner: now, secretHash: "s1" });
      expect(await partners.clientId(partner.id)).toBe("c1");
      const replaced = await write((tx) => tx.partners.replaceClientSecret(partner.id, "s2", NOW + 1));
      expect(replaced).toBe("c1");
      expect((await partners.findByClientId("c1"))?.secretHash).toBe("s2");
      await write((tx) => tx.partners.revokeCredentials(partner.id, "api_key", NOW + 2));
      expect(await partners.findByApiKey("h1")).toBeUndefined();
      await write((tx) => tx.partners.revokeCredentials(partner.id, "client_secret", NOW + 2));
      expect(await partners.clientId(partner.id)).toBeUndefined();
      expect(await write((tx) => tx.partners.replaceClientSecret(partner.id, "s3", NOW))).toBeUndefined();
    });

    test("have a webhook endpoint, with its filter, its secrets and its health", async () => {
      const { partners } = read();
      const insert = { partnerId: partner.id, url: "http://h.test/", secret: "sealed", events: null };
      expect(await partners.findEndpoint(partner.id)).toBeUndefined();
      await write((tx) => tx.partners.insertEndpoint(insert));
      const fresh = {
        ...insert,
        nextSecret: null,
        rotatesAt: null,
        concurrency: null,
        revision: 0,
        failures: 0,
        failingSince: null,
        pausedAt: null,
        lastError: null,
      };
      expect(await partners.findEndpoint(partner.id)).toEqual(fresh);
      const change = {
        events: ["a", TEXT],
        concurrency: 3,
        nextSecret: "next",
        rotatesAt: LARGE,
        failures: 7,
        failingSince: NOW,
        pausedAt: NOW,
        lastError: TEXT,
      };
      await write((tx) => tx.partners.updateEndpoint(partner.id, change));
      await write((tx) => tx.partners.raiseRevision(partner.id));
      const changed = { ...fresh, ...change, revision: 1 };
      expect(await partners.findEndpoint(partner.id)).toEqual(changed);
      expect(await partners.listEndpoints()).toEqual([changed]);
      const [endpoint] = await partners.endpointRevisions();
      expect(endpoint).toMatchObject({ partnerId: partner.id, revision: expect.stringMatching(/(^|:)1$/) });
      const { url, secret } = insert;
      expect(await partners.findDeliveryTarget(partner.id)).toEqual({
        url,
        secret,
        nextSecret: "next",
        rotatesAt: LARGE,
        revision: 1,
      });
      await write((tx) => tx.partners.update(partner.id, { enabled: false }));
      expect(await partners.findDeliveryTarget(partner.id)).toBeUndefined();
      await write((tx) => tx.partners.update(partner.id, { enabled: true }));
      expect(await write((tx) => tx.partners.finishRotations(LARGE - 1))).toEqual([]);
      expect(await write((tx) => tx.partners.finishRotations(LARGE))).toEqual([partner.id]);
      expect(await partners.findEndpoint(partner.id)).toMatchObject({
        secret: "next",
        nextSecret: null,
        rotatesAt: null,
      });
      await write((tx) => tx.partners.updateEndpoint(partner.id, { events: [], url: null }));
      expect(await partners.findEndpoint(partner.id)).toMatchObject({ events: [], url: null });
      expect(await partners.findDeliveryTarget(partner.id)).toBeUndefined();
      const failing = { failures: 8, failingSince: NOW, pausedAt: NOW, lastError: "HTTP 500" };
      await write((tx) => tx.partners.saveEndpointHealth(partner.id, { ...failing, failures: 9 }, 0));
      expect(await partners.findEndpoint(partner.id)).toMatchObject({ failures: 7 });
      await write((tx) => tx.partners.saveEndpointHealth(partner.id, failing, 1));
      expect(await partners.findEndpoint(partner.id)).toMatchObject({ ...failing, events: [] });
      await write((tx) => tx.partners.updateEndpoint(partner.id, { pausedAt: null }));
    });

    test("are counted by their configuration", async () => {
      await fixture.addProperty(partner, { unitCount: 100 }, true);
      expect(await read().partners.billableUnits(partner.id)).toBe(4);
      expect(await read().partners.billableUnits("PARTNER_9")).toBe(0);
      const without = await fixture.addPartner();
      const bare = await fixture.addProperty(without);
      await fixture.addAppliance(without, { propertyId: bare.id });
      expect(ids(await read().partners.withoutEndpoint())).toEqual([without.id]);
    });
  });

  test("administrators are found by their keys until these end", async () => {
    const { administrators } = read();
    const made = { name: TEXT, createdAt: NOW, revokedAt: null };
    for (const id of ["ADM_2", "ADM_1"])
      await write((tx) => tx.administrators.insert({ ...made, id, keyHash: `hash ${id}` }));
    expect(ids(await administrators.list())).toEqual(["ADM_1", "ADM_2"]);
    expect(await administrators.findByKey("hash ADM_1")).toEqual({
      ...made,
      id: "ADM_1",
      keyHash: "hash ADM_1",
    });
    expect(await write((tx) => tx.administrators.revoke("ADM_1", NOW))).toBe(true);
    expect(await write((tx) => tx.administrators.revoke("ADM_1", NOW))).toBe(false);
    expect(await administrators.findByKey("hash ADM_1")).toBeUndefined();
  });

  describe("deliveries", () => {
    const HORIZON = NOW + 30_000;
    /** Adds deliveries of one partner, in the order of their ids. */
    const add = (count: number, fields: { event?: string; orderKey?: string | null } = {}) =>
      write(async (tx) => {
        const rows = await tx.forPartner(partner.id);
        const made: string[] = [];
        for (let nth = 0; nth < count; nth++) {
          const id = rows.newDeliveryId();
          const body = JSON.stringify({ text: TEXT, nth });
          const delivery = { id, partnerId: partner.id, event: "webhook.test", orderKey: null, ...fields };
          await tx.deliveries.insert({ ...delivery, requestId: null, body, createdAt: NOW });
          made.push(id);
        }
        return made;
      });
    const record = (
      deliveryId: string,
      status: "pending" | "delivered" | "failed",
      nextAttemptAt: number | null = null,
      startedAt = NOW,
    ) =>
      write((tx) =>
        tx.deliveries.recordAttempt({
          deliveryId,
          startedAt,
          durationMs: 5,
          statusCode: 500,
          error: TEXT,
          address: null,
          responseHead: TEXT,
          status,
          cycleAttempts: 1,
          nextAttemptAt,
        }),
      );
    const due = (now = NOW, limit = 100, excluding: string[] = []) =>
      read().deliveries.due(partner.id, now, HORIZON + now - NOW, limit, new Set(excluding));

    test("are due in order, one at a time per key, and are logged with their results", async () => {
      const { deliveries, deliveryLog } = read();
      expect(await deliveries.duePartners(NOW, HORIZON)).toEqual([]);
      expect(await deliveries.nextDueAt(NOW)).toBeNull();
      const made = await add(3);
      const [first, second] = await add(2, { orderKey: "C_1", event: "component.critical" });
      expect(await deliveries.duePartners(NOW, HORIZON)).toEqual([partner.id]);
      expect(await deliveries.duePartners(NOW - 1, HORIZON)).toEqual([]);
      expect(ids(await due())).toEqual([...made, first!, second!]);
      expect((await due())[0]).toEqual({
        id: made[0]!,
        partnerId: partner.id,
        event: "webhook.test",
        orderKey: null,
        requestId: null,
        body: JSON.stringify({ text: TEXT, nth: 0 }),
        attempts: 0,
      });
      expect(ids(await due(NOW, 2, [made[0]!]))).toEqual(made.slice(1, 3));
      await record(first!, "pending", NOW + 10_000);
      expect(ids(await due()), "the second waits for the first").toEqual(made);
      expect(await deliveries.nextDueAt(NOW)).toBe(NOW + 10_000);
      await record(made[0]!, "pending", NOW + LARGE);
      expect(ids(await due()), "planned by a clock that was ahead").toEqual(made);
      await record(made[0]!, "delivered", null, NOW + 1);
      await record(made[0]!, "pending", NOW + LARGE); // the first once more: it is logged already
      await record(made[1]!, "failed");
      await record("WH_gone", "failed");
      expect(ids(await due())).toEqual([made[2]!]);

      const { delivery, attempts } = (await deliveryLog.find(made[0]!))!;
      expect(delivery).toMatchObject({
        status: "delivered",
        attempts: 2,
        finishedAt: NOW + 6,
        nextAttemptAt: null,
      });
      expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect(attempts[0]).toEqual({
        deliveryId: made[0]!,
        attempt: 1,
        startedAt: NOW,
        durationMs: 5,
        statusCode: 500,
        error: TEXT,
        address: null,
        responseHead: TEXT,
      });
      expect(await deliveryLog.find("WH_gone")).toBeUndefined();
      const all = [second!, first!, ...made.toReversed()];
      const page = async (filter = {}, slice = ALL) =>
        (await deliveryLog.page(filter, slice)).map((one) => one.delivery.id);
      expect(await page()).toEqual(all);
      expect(await page({ status: "pending" })).toEqual([second!, first!, made[2]!]);
      expect(
        await page({ event: "component.critical", partnerId: partner.id }, { limit: 1, offset: 1 }),
      ).toEqual([first!]);
      expect(await page({ since: NOW + 3_600_000 })).toEqual([]);
      expect(await page({}, { limit: 5, offset: 90 })).toEqual([]);
      expect(await deliveryLog.count({ status: "failed" })).toBe(1);
      expect(await deliveryLog.count({})).toBe(5);
      expect(await deliveryLog.countFailedSince(0)).toBe(1);
      expect(await deliveryLog.countFailedSince(NOW + 3_600_000)).toBe(0);
      const own = { partnerId: partner.id, from: NOW - 3_600_000, to: NOW + 3_600_000 };
      const ownPage = await deliveryLog.pageOfPartner({ ...own, status: "pending" }, { limit: 2, offset: 1 });
      expect(ownPage.map((one) => one.delivery.id)).toEqual([first!, made[2]!]);
      expect(await deliveryLog.pageOfPartner({ partnerId: "PARTNER_9" }, ALL)).toEqual([]);
      expect(await deliveryLog.countOfPartner(own)).toBe(5);
      expect(
        await deliveryLog.countOfPartner({ ...own, event: "component.critical", status: "failed" }),
      ).toBe(0);

      expect(await deliveryLog.countFailed(own)).toBe(1);
      expect(await deliveryLog.nextFailing()).toBe(partner.id);
      expect(await deliveryLog.nextFailing(partner.id)).toBeUndefined();
      expect(await deliveryLog.nextError(partner.id)).toBe(TEXT);
      expect(await deliveryLog.nextError(partner.id, TEXT)).toBeUndefined();
      const group = { ...own, error: TEXT };
      const at = createdAtOfDeliveryId(made[1]!);
      expect(await deliveryLog.failureGroup(group)).toEqual({
        partnerId: partner.id,
        error: TEXT,
        count: 1,
        firstAt: at,
        lastAt: at,
      });
      expect(await deliveryLog.failureGroup({ ...group, error: "HTTP 500" })).toBeUndefined();
      expect(await deliveryLog.failureGroup({ ...group, to: at })).toBeUndefined();
      expect(await deliveryLog.countFailed({ ...own, error: "HTTP 500" })).toBe(0);
      await record(made[2]!, "failed");
      const resent = await write((tx) => tx.deliveryLog.resendFailed(own, "", 1, NOW + 1));
      expect(resent).toEqual([made[1]!]);
      expect(await write((tx) => tx.deliveryLog.resendFailed(own, made[1]!, 5, NOW + 1))).toEqual([made[2]!]);
      expect(await write((tx) => tx.deliveryLog.resendFailed(own, made[2]!, 5, NOW + 1))).toEqual([]);
      await write((tx) => tx.deliveryLog.resend(made[0]!, NOW + 1));
      expect((await deliveryLog.find(made[0]!))!.delivery).toMatchObject({
        status: "pending",
        attempts: 2,
        cycleAttempts: 0,
        nextAttemptAt: NOW + 1,
        finishedAt: null,
      });
      for (const id of made) await record(id, "delivered", null, NOW + 2);
      const prune = (before: number) => write((tx) => tx.deliveryLog.prune("delivered", before, 2));
      expect([await prune(NOW), await prune(NOW + 8), await prune(NOW + 8), await prune(NOW + 8)]).toEqual([
        0, 2, 1, 0,
      ]);
      expect(await page()).toEqual([second!, first!]);
    });

    test("are counted for the metrics, like the daily calls and the portfolio", async () => {
      const { gauges } = read();
      const outbox = async () => await gauges.outbox();
      const { oldestAt } = await outbox();
      const unheld = {
        pending: 2,
        oldestAt: expect.any(Number),
        oldestNotHeldAt: oldestAt,
        pausedEndpoints: 0,
      };
      expect(await outbox()).toEqual(unheld);
      const pause = (pausedAt: number | null) =>
        write((tx) => tx.partners.updateEndpoint(partner.id, { pausedAt }));
      const enable = (enabled: boolean) => write((tx) => tx.partners.update(partner.id, { enabled }));
      await pause(NOW);
      expect(await outbox()).toEqual({ ...unheld, oldestNotHeldAt: null, pausedEndpoints: 1 });
      await enable(false);
      expect(await outbox()).toEqual({ ...unheld, oldestNotHeldAt: null });
      await pause(null);
      expect(await outbox()).toEqual({ ...unheld, oldestNotHeldAt: null });
      await enable(true);
      expect(await outbox()).toEqual(unheld);
      const { properties, components, critical, warning } = await gauges.portfolio();
      expect(properties).toBe(3);
      expect([components, critical, warning].map((sum) => typeof sum)).toEqual([
        "number",
        "number",
        "number",
      ]);
      await write((tx) => tx.budgets.add(partner.id, DAY, 3));
      const found = await gauges.partners(DAY);
      expect(found.find(({ id }) => id === partner.id)).toEqual({
        id: partner.id,
        dailyBudget: partner.dailyBudget,
        taken: 3,
        photoBytes: expect.any(Number),
      });
      expect(found.find(({ id }) => id === "PARTNER_9")).toMatchObject({ taken: 0 });
      await write((tx) => tx.budgets.add(partner.id, DAY, -3));
    });
  });

  describe("requests", () => {
    test("are answered again from the stored replies, until these are pruned", async () => {
      const { idempotency } = read();
      const reply = {
        partnerId: partner.id,
        operation: "POST /v1/x",
        key: TEXT,
        requestHash: "h",
        statusCode: 201,
        body: JSON.stringify(TEXT),
        createdAt: NOW,
      };
      await write((tx) => tx.idempotency.save(reply));
      expect(await idempotency.find(partner.id, "POST /v1/x", TEXT)).toEqual(reply);
      expect(await idempotency.find(partner.id, "POST /v1/x", "other")).toBeUndefined();
      const later = { ...reply, requestHash: "h2", createdAt: NOW + REPLIES_KEPT_MS };
      await write((tx) => tx.idempotency.save(later));
      expect(await idempotency.find(partner.id, "POST /v1/x", TEXT)).toEqual(later);
      for (const key of ["1", "2", "3"]) await write((tx) => tx.idempotency.save({ ...reply, key }));
      const prune = () => write((tx) => tx.idempotency.prune(NOW + 1, 2));
      expect([await prune(), await prune(), await prune()]).toEqual([2, 1, 0]);
      expect(await idempotency.find(partner.id, "POST /v1/x", TEXT)).toEqual(later);
    });

    test("are counted by day", async () => {
      const { budgets } = read();
      await write(async (tx) => {
        await tx.budgets.add(partner.id, "2026-01-31", 2);
        await tx.budgets.add(partner.id, "2026-01-31", 3);
        await tx.budgets.raiseTo(partner.id, "2026-01-30", 9);
        await tx.budgets.raiseTo(partner.id, "2026-01-30", 4);
        await tx.budgets.add(partner.id, "2026-02-01", 1);
        await tx.budgets.take(partner.id, "2026-01-29", 7, 0);
      });
      expect(await budgets.taken(partner.id, "2026-01-31")).toBe(5);
      expect(await budgets.taken(partner.id, "2026-01-29")).toBe(0);
      expect(await budgets.days(partner.id, "2026-01-01", "2026-02-01")).toEqual([
        { day: "2026-01-30", calls: 9 },
        { day: "2026-01-31", calls: 5 },
      ]);
    });
  });

  test("the audit log numbers its entries and gives the newest first", async () => {
    const { audit } = read();
    const before = await audit.count();
    const detail = { text: TEXT, number: LARGE, nested: { list: [true, null, 1.5] } };
    for (const subject of ["A", "B", "A"])
      await write((tx) =>
        tx.audit.record({ at: NOW, actor: "cli:test", action: "job.run", subject, detail }),
      );
    const page = await audit.page({ limit: 3, offset: 0 });
    expect(page.map(({ subject }) => subject)).toEqual(["A", "B", "A"]);
    expect(page.map(({ seq }) => seq)).toEqual(page.map(({ seq }) => seq).sort((a, b) => b - a));
    expect(page[0]).toEqual({
      seq: page[0]!.seq,
      at: NOW,
      actor: "cli:test",
      action: "job.run",
      subject: "A",
      detail,
      partnerId: null,
    });
    expect(await audit.page({ limit: 1, offset: 1 }, { subject: "A" })).toEqual([page[2]!]);
    expect([
      await audit.count(),
      await audit.count({ subject: "A" }),
      await audit.count({ subject: "none" }),
    ]).toEqual([before + 3, 2, 0]);
  });

  test("the audit log is filtered by actor, action, partner and time", async () => {
    const { audit } = read();
    const entry = { action: "job.run", subject: "J", detail: {} } as const;
    const ids = ["PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5", "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t6"] as const;
    await write(async (tx) => {
      await tx.audit.record({ ...entry, at: NOW + 1, actor: "ADM_a" });
      await tx.audit.record({ ...entry, at: NOW + 2, actor: "ADM_b", subject: ids[0] });
      await tx.audit.record({ ...entry, at: NOW + 3, actor: "ADM_b", detail: { partner_id: ids[0] } });
      await tx.audit.record({ ...entry, at: NOW + 4, actor: "ADM_b", action: "job.run", subject: ids[1] });
      await tx.audit.record({ ...entry, at: NOW + 5, actor: "ADM_b", action: "admin.revoke" });
    });
    const times = async (filter: object) => {
      const page = await audit.page({ limit: 9, offset: 0 }, filter);
      expect(await audit.count(filter)).toBe(page.length);
      return page.map(({ at }) => at - NOW);
    };
    expect(await times({ actor: "ADM_a" })).toEqual([1]);
    expect(await times({ actor: "ADM_b" })).toEqual([5, 4, 3, 2]);
    expect(await times({ actor: "ADM_b", action: "admin.revoke" })).toEqual([5]);
    expect(await times({ partnerId: ids[0] })).toEqual([3, 2]);
    expect(await times({ actor: "ADM_b", since: NOW + 3, until: NOW + 5 })).toEqual([4, 3]);
    expect(await times({ subject: "J", actor: "ADM_b" })).toEqual([5, 3]);
  });

  test("the audit log has the values of a partner until its purge, and then what is kept", async () => {
    const { audit } = read();
    const partner = await fixture.addPartner({ name: "Corrected Ltd" });
    const entry = { at: NOW, actor: partner.id, action: "claim.update", subject: "CLM_purged" } as const;
    const values = { before: { notes: TEXT, amount: LARGE }, after: { notes: null, amount: 0.5 } };
    const kept = { fields: ["notes", "amount"] };
    await write((tx) => tx.audit.recordOfPartner({ ...entry, partnerId: partner.id, kept, values }));
    const [found] = await audit.page({ limit: 1, offset: 0 }, { subject: "CLM_purged" });
    expect(found).toEqual({ ...entry, partnerId: partner.id, seq: found!.seq, detail: values });
    for (let place: PurgePlace | undefined, isEmpty = false; !isEmpty; )
      ({ place, isEmpty } = await write((tx) => tx.purge.step(partner.id, place)));
    await write((tx) => tx.purge.finish(partner.id));
    expect(await audit.page({ limit: 1, offset: 0 }, { subject: "CLM_purged" })).toEqual([
      { ...found!, detail: kept },
    ]);
  });

  test("embeds show a property until they expire, and count their views", async () => {
    const { embeds } = read();
    const embed = {
      id: "EMB_1",
      partnerId: partner.id,
      propertyId: property.id,
      label: "Committee",
      recipient: null,
      passcodeHash: null,
      createdAt: NOW,
      expiresAt: LARGE,
      revokedAt: null,
      views: 0,
      lastViewedAt: null,
    };
    await write((tx) => tx.embeds.insert({ ...embed, tokenHash: "t1" }));
    await write((tx) => tx.embeds.insert({ ...embed, id: "EMB_2", expiresAt: null, tokenHash: "t2" }));
    expect(await embeds.findByToken("t1")).toEqual(embed);
    expect(await embeds.find("EMB_1")).toEqual(embed);
    expect(await embeds.find("EMB_none")).toBeUndefined();
    await write(async (tx) => {
      const at = (viewedAt: number) => ({ viewedAt, address: "203.0.113.7" });
      await tx.embeds.addViews({ embedId: "EMB_1", views: 2, latest: [at(NOW), at(NOW - 2)] });
      await tx.embeds.addViews({ embedId: "EMB_1", views: 1, latest: [at(NOW - 1)] });
    });
    expect((await embeds.recentViews("EMB_1")).map(({ viewedAt }) => NOW - viewedAt)).toEqual([0, 1, 2]);
    expect(await embeds.recentViews("EMB_2")).toEqual([]);
    await write((tx) =>
      tx.embeds.addViews({
        embedId: "EMB_2",
        views: 300,
        latest: Array.from({ length: 300 }, (_, i) => ({ viewedAt: NOW - i, address: "::1" })),
      }),
    );
    expect(await embeds.recentViews("EMB_2")).toHaveLength(200);
    expect(await embeds.find("EMB_1")).toMatchObject({ views: 3, lastViewedAt: NOW });
    expect((await embeds.page(ALL)).map(({ id, propertyName }) => [id, propertyName])).toEqual([
      ["EMB_2", property.name],
      ["EMB_1", property.name],
    ]);
    expect(ids(await embeds.page({ limit: 1, offset: 1 }, { propertyId: property.id }))).toEqual(["EMB_1"]);
    const [first] = await embeds.ofPartnerAfter(embed.partnerId, "", 1);
    expect(first).toMatchObject({ id: "EMB_1", propertyName: property.name, views: 3 });
    expect(first!.recentViews).toHaveLength(3);
    expect(ids(await embeds.ofPartnerAfter(embed.partnerId, "EMB_1", 9))).toEqual(["EMB_2"]);
    expect(await embeds.ofPartnerAfter("PARTNER_none", "", 9)).toEqual([]);
    const filters = [{}, { propertyId: property.id }, { partnerId: partner.id }, { propertyId: "P_none" }];
    expect(await Promise.all(filters.map((filter) => embeds.count(filter)))).toEqual([2, 2, 2, 0]);
    const elsewhere = await fixture.addProperty(partner);
    await write((tx) => tx.embeds.moveOfProperty(property.id, elsewhere.id));
    expect(await embeds.count({ propertyId: property.id })).toBe(0);
    await write((tx) => tx.embeds.moveOfProperty(elsewhere.id, property.id));
    await write((tx) => tx.embeds.update("EMB_1", { label: TEXT, recipient: null, passcodeHash: "h" }));
    expect(await embeds.find("EMB_1")).toMatchObject({ label: TEXT, recipient: null, passcodeHash: "h" });
    expect(await write((tx) => tx.embeds.revoke("EMB_1", NOW + 9))).toBe(true);
    expect(await write((tx) => tx.embeds.revoke("EMB_1", NOW + 9))).toBe(false);
    expect(await embeds.findByToken("t1")).toMatchObject({ revokedAt: NOW + 9 });
    await write((tx) => tx.partners.update(partner.id, { enabled: false }));
    expect(await embeds.findByToken("t1")).toBeUndefined();
    await write((tx) => tx.partners.update(partner.id, { enabled: true }));
  });

  test("a partner's brand is saved as a whole, with its image byte for byte", async () => {
    const { brands } = read();
    expect(await brands.find(partner.id)).toBeUndefined();
    const png = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const brand = {
      displayName: TEXT,
      color: "#1a5f5a",
      colorDark: "#7cc5bc",
      logo: { png, width: 320, height: 80 },
    } as const;
    await write((tx) => tx.brands.save(partner.id, brand));
    expect(await brands.find(partner.id)).toEqual(brand);
    const plain = { displayName: null, color: null, colorDark: null, logo: null };
    await write((tx) => tx.brands.save(partner.id, plain));
    expect(await brands.find(partner.id)).toEqual(plain);
  });

  test("models are applied and reverted, with their inputs", async () => {
    const { models } = read();
    expect([await models.inUse(), await models.nextNumber(), await models.latestCheck()]).toEqual([
      ...[undefined, 1, undefined],
    ]);
    const corrections = {
      lifeFactors: { roof: 1.25 },
      frailtyShape: null,
      strength: { condition: 1, repairs: 0.5 },
    };
    const version = {
      number: 1,
      base: "3",
      createdAt: NOW,
      actor: "cli:test",
      isProven: false,
      replaced: null,
      corrections,
      evidence: { text: TEXT, large: LARGE, list: [] },
    };
    const appliance = await fixture.addAppliance(partner, { propertyId: property.id });
    await write(async (tx) => {
      await tx.models.insert(version);
      await tx.models.insertFrailty(1, appliance.id, 1);
      await tx.models.insertFrailty(1, appliance.id, 1.0625);
      await tx.models.use(1);
    });
    expect(await models.find(1)).toEqual({ ...version, version: "3+local.1" });
    expect(await models.inUse()).toEqual({ number: 1, version: "3+local.1", base: "3", corrections });
    expect(await models.nextNumber()).toBe(2);
    await write((tx) => tx.models.insert({ ...version, number: 2, isProven: true, replaced: 1 }));
    expect((await models.list()).map(({ number, isProven }) => [number, isProven])).toEqual([
      [2, true],
      [1, false],
    ]);
    expect(await models.frailties(1, [appliance.id, "A_none"])).toEqual(new Map([[appliance.id, 1.0625]]));
    expect(await models.frailties(2, [appliance.id])).toEqual(new Map());
    expect(await models.frailties(1, [])).toEqual(new Map());
    const second = await fixture.addAppliance(partner, { propertyId: property.id });
    const drop = (after: string) => write((tx) => tx.models.deleteFrailties(2, after, 1));
    await write(async (tx) => {
      for (const { id } of [appliance, second]) await tx.models.insertFrailty(2, id, 0.5);
    });
    const dropped = [appliance.id, second.id].sort();
    expect([await drop(""), await drop(dropped[0]!), await drop(dropped[1]!)]).toEqual([
      ...dropped,
      undefined,
    ]);
    expect(await models.frailties(2, dropped)).toEqual(new Map());
    expect((await models.frailties(1, dropped)).size).toBe(1);
    const activate = (createdAt: number, lifeFactors: Record<string, number>, error?: Error) =>
      write(async (tx) => {
        const other = { ...corrections, lifeFactors };
        await tx.models.insert({ ...version, number: 3, createdAt, corrections: other });
        await tx.models.use(3);
        expect((await tx.models.inUse())?.corrections).toEqual(other);
        if (error) throw error;
      });
    // A version that was rolled back leaves its number to the next.
    await expect(activate(NOW + 1, { roof: 2 }, new Error("undone"))).rejects.toThrow("undone");
    await activate(NOW + 2, { roof: 3 });
    expect((await models.inUse())?.corrections.lifeFactors).toEqual({ roof: 3 });
    await write((tx) => tx.models.use(null));
    expect(await models.inUse()).toBeUndefined();
    const fit = { number: 3, base: "3", isProven: false, corrections, evidence: { text: TEXT }, madeAt: NOW };
    expect(await models.keptFit()).toBeUndefined();
    await write((tx) => tx.models.keepFit(fit));
    await write((tx) => tx.models.keepFit({ ...fit, isProven: true }));
    expect(await models.keptFit()).toEqual({ ...fit, isProven: true });
    await write((tx) => tx.models.forgetKeptFit());
    expect(await models.keptFit()).toBeUndefined();
    const calibration: LatestCalibration = {
      status: "running",
      requestedBy: TEXT,
      actor: "ADM_1",
      startedAt: LARGE,
      finishedAt: null,
      error: null,
      proposalId: null,
      modelVersion: null,
      activatedVersion: null,
    };
    expect(await models.latestCalibration()).toBeUndefined();
    await write((tx) => tx.models.saveLatestCalibration(calibration));
    const finished: LatestCalibration = { ...calibration, status: "ready", proposalId: "1-2" };
    await write((tx) => tx.models.saveLatestCalibration(finished));
    expect(await models.latestCalibration()).toEqual(finished);
    const check = { day: DAY, version: "3+local.1", isWorse: false, evidence: { a: 1 } };
    await write((tx) => tx.models.saveCheck(check));
    await write((tx) => tx.models.saveCheck({ ...check, isWorse: true }));
    expect(await models.latestCheck()).toEqual({ ...check, isWorse: true });
  });

  test("plans are recomputed where their inputs have changed", async () => {
    const { plans } = read();
    const stored = (await plans.ofProperty(property.id))!;
    expect(stored.sums).toEqual(emptyPlanSums());
    expect(stored.counted).toEqual(emptyAssumptionCounts());
    expect(await plans.ofPartner("PARTNER_9")).toEqual({
      sums: emptyPlanSums(),
      counted: emptyAssumptionCounts(),
    });
    expect(await plans.changed(partner.id, 10)).toContain(property.id);
    const due = { ...emptyDueSums(), units: 2, cents: LARGE, waitingCents: LARGE + 1 };
    const sums = { ...emptyPlanSums(), unitCount: 4, due };
    sums.years.products[3] = LARGE;
    const counted = { ...emptyAssumptionCounts(), components: 3, unknownPasts: 2 };
    counted.costCents.own = LARGE;
    const candidate = (id: string, plannedCents: number, waitingCents: number) => ({
      id,
      plannedCents,
      waitingCents,
      isUrgent: false,
    });
    const urgent = { ...candidate("A_1", 100, -5), isUrgent: true };
    await write(async (tx) => {
      await tx.plans.save(property.id, { sums, counted }, DAY, stored.changes);
      await tx.plans.savePartner(partner.id, {
        sums: { ...sums, unitCount: 1 },
        counted: emptyAssumptionCounts(),
      });
      await tx.plans.savePartner(partner.id, { sums, counted });
      await tx.plans.addCandidates(property.id, partner.id, [candidate("C_0", 1, 1)]);
      await tx.plans.dropCandidates(property.id);
      await tx.plans.addCandidates(property.id, partner.id, [
        ...[candidate("C_b", 100, 300), candidate("C_B", 100, 300), candidate("C_a", LARGE, LARGE)],
        candidate("C_z", 0, 5),
        urgent,
      ]);
    });
    expect(await plans.ofProperty(property.id)).toEqual({ sums, counted, changes: stored.changes });
    expect(await plans.ofPartner(partner.id)).toEqual({ sums, counted });
    expect(await plans.countedOfPartners([partner.id, "PARTNER_9"])).toEqual([counted]);
    const kept = { propertyId: property.id, counted, isChanged: false };
    expect(await plans.countedOf([property.id, "P_none"])).toEqual([kept]);
    expect(await plans.changed(partner.id, 10)).not.toContain(property.id);
    expect(await plans.changedOfPartners([partner.id], 10)).toEqual(await plans.changed(partner.id, 10));
    expect(await plans.changedOfPartners([partner.id, "PARTNER_9"], 1)).toHaveLength(1);
    expect(await plans.aged(partner.id, DAY, 10)).not.toContain(property.id);
    expect(await plans.aged(partner.id, "2026-03-11", 10)).toContain(property.id);
    // Other properties have no plan yet.
    expect(await plans.asOf(partner.id)).toBe(DAY);
    expect(await plans.asOf("PARTNER_9")).toBeUndefined();
    await write((tx) => tx.plans.touch(property.id));
    expect(await plans.changed(partner.id, 10)).toContain(property.id);
    expect(await plans.countedOf([property.id])).toEqual([{ ...kept, isChanged: true }]);
    const start = { rank: -Number.MAX_VALUE, id: "" };
    const all = await plans.candidates(partner.id, start, Number.MAX_SAFE_INTEGER, 10);
    expect(all[0]).toMatchObject(urgent);
    expect(all.shift()!.rank).toBe(budgetRankOf(urgent));
    expect(all.map(({ id, rank, isUrgent }) => [id, rank, ...(isUrgent ? ["urgent"] : [])])).toEqual([
      ["C_z", -5],
      ["C_B", -3],
      ["C_b", -3],
      ["C_a", -1],
    ]);
    expect(all[3]).toMatchObject({ propertyId: property.id, plannedCents: LARGE, waitingCents: LARGE });
    expect(await plans.candidates(partner.id, all[1]!, 100, 10)).toEqual([all[2]!]);
    const { products, ...yearsWithoutProducts } = sums.years;
    const row = {
      propertyId: property.id,
      name: property.name,
      unitCount: 4,
      sums: { ...sums, years: yearsWithoutProducts },
      isChanged: true,
    };
    const listed = await plans.page(partner.id, ALL, []);
    expect(listed[0]).toEqual(row);
    expect(listed.length).toBeGreaterThan(2);
    for (let offset = 0; offset < listed.length; offset++)
      expect(await plans.page(partner.id, { limit: 1, offset }, [property])).toEqual(
        listed.slice(1 + offset, 2 + offset),
      );
    const slice = { limit: 3, offset: 0 };
    const byWaiting = await plans.pageByWaiting(partner.id, slice, []);
    expect(byWaiting[0]).toEqual(row);
    expect(byWaiting.length).toBeGreaterThan(1);
    expect(await plans.pageByWaiting(partner.id, { limit: 2, offset: 1 }, [])).toEqual(byWaiting.slice(1));
    expect((await plans.pageByWaiting(partner.id, slice, [property.id]))[0]).toEqual(byWaiting[1]!);
    await write(async (tx) => {
      await tx.plans.setListed(property.id, false);
      await tx.plans.save(property.id, { sums, counted }, DAY, stored.changes);
    });
    expect((await plans.pageByWaiting(partner.id, slice, []))[0]).toEqual(byWaiting[1]!);
    await write((tx) => tx.plans.setListed(property.id, true));
    expect((await plans.pageByWaiting(partner.id, slice, []))[0]).toMatchObject({ propertyId: property.id });
    // Waiting may be cheaper for what is due: it still comes before properties with nothing due.
    const other = byWaiting[1]!.propertyId;
    const saveDue = async (id: string, cents: number, waitingCents: number) =>
      await write((tx) =>
        tx.plans.save(id, { sums: { ...sums, due: { ...due, cents, waitingCents } }, counted }, DAY, 1),
      );
    const first = async () => (await plans.pageByWaiting(partner.id, slice, []))[0]!.propertyId;
    await saveDue(other, 100, -9);
    await saveDue(property.id, 100, -5);
    expect(await first()).toBe(property.id);
    await saveDue(property.id, 0, 0);
    expect(await first()).toBe(other);
    await write(async (tx) => {
      await tx.properties.insert({ ...property, id: "P_new", seq: 77 });
      await tx.totals.start("P_new", partner.id);
      await tx.plans.start("P_new", partner.id);
    });
    expect((await plans.ofProperty("P_new"))?.changes).toBe(1);
    expect(await plans.ofProperty("P_purged")).toBeUndefined();
  });

  test("an export iterates all rows of a partner by id, up to those at its start", async () => {
    const exported = read().export;
    const sensor = {
      partnerId: partner.id,
      propertyId: property.id,
      componentId: null,
      kind: "meter" as const,
      eventType: null,
      severity: null,
      sensorId: null,
      metric: "kWh",
      value: 0.1,
      unit: null,
      notes: TEXT,
      recordedAt: NOW,
      createdAt: NOW,
    };
    const [appliance] = await read().appliances.page(partner.id, ALL);
    const applianceId = appliance!.id;
    const [component] = await read().components.ofAppliance(applianceId);
    expect(await exported.lastId("sensorEvents")).toBe("");
    const ofAppliance = { applianceId, propertyId: property.id, partnerId: partner.id };
    const event = {
      ...ofAppliance,
      componentId: null,
      eventType: "Other" as const,
      date: DAY,
      technician: null,
      partsCostCents: 1,
      laborCostCents: null,
      totalCostCents: LARGE,
      notes: null,
      conditionAfter: null,
      conditionScore: null,
      inspectionTypes: ["four_hour_test"],
      voidedAt: null,
      voidReason: null,
      createdAt: NOW,
    };
    const outcome = {
      componentId: component!.id,
      partnerId: partner.id,
      defId: component!.defId,
      eventType: "Other",
      date: DAY,
      ageYears: 1.5,
      probability: 0.25,
      riskScore: 3,
      modelVersion: "2",
      createdAt: NOW,
    };
    const claim = {
      ...NO_LOSS_FIGURES,
      partnerId: partner.id,
      propertyId: property.id,
      claimType: "fire",
      dateOfLoss: DAY,
      claimNumber: null,
      carrier: null,
      amountCents: 1,
      description: null,
      voidedAt: null,
      voidReason: null,
      createdAt: NOW,
    };
    const photo = {
      partnerId: partner.id,
      applianceId,
      serviceEventId: null,
      originalName: "x",
      mediaType: "image/jpeg" as const,
      bytes: 1,
      sha256: "x",
      uploadedAt: NOW,
    };
    await write(async (tx) => {
      for (const nth of ["1", "2", "3"]) {
        await tx.sensorEvents.insert({ ...sensor, applianceId, id: `PE_${nth}` });
        await tx.serviceEvents.insert(
          { ...event, id: `SE_${nth}` },
          { noteKey: null, findings: null, notedInspections: null, readBy: null, hazards: null },
        );
        await tx.serviceEvents.insertOutcome({ ...outcome, serviceEventId: `SE_${nth}` });
        await tx.claims.insert({ ...claim, id: `CLM_${nth}`, status: "denied" });
        await tx.photos.insert({ ...photo, id: `PH_${nth}`, filename: `f${nth}` });
      }
    });
    const range = (prefix: string, after = "") => ({
      partnerId: partner.id,
      after: after && `${prefix}${after}`,
      last: `${prefix}2`,
      limit: 10,
    });
    expect(await exported.lastId("sensorEvents")).toBe("PE_3");
    expect(await exported.sensorEvents(range("PE_", "1"))).toEqual([{ ...sensor, applianceId, id: "PE_2" }]);
    expect((await exported.serviceEvents(range("SE_")))[1]).toMatchObject({ ...event, id: "SE_2" });
    expect(ids(await exported.claims({ ...range("CLM_"), limit: 1 }))).toEqual(["CLM_1"]);
    expect(ids(await exported.photos(range("PH_")))).toEqual(["PH_1", "PH_2"]);
    expect(await exported.photos({ ...range("PH_"), partnerId: "PARTNER_9" })).toEqual([]);
    const deliveries = {
      partnerId: partner.id,
      after: "",
      last: await exported.lastId("webhookDeliveries"),
      limit: 10,
    };
    expect(await exported.webhookDeliveries(deliveries)).toHaveLength(2);
    const none = { serviceEventId: "", componentId: "" };
    const outcomes = await exported.outcomes(partner.id, none, "SE_2", 10);
    expect(outcomes).toEqual(["SE_1", "SE_2"].map((serviceEventId) => ({ ...outcome, serviceEventId })));
    expect(await exported.outcomes(partner.id, outcomes[0]!, "SE_3", 1)).toEqual([outcomes[1]!]);
  });

  test("the last time of a partner's rows can be read", async () => {
    const { clock } = read();
    const at = await write(async (tx) => (await tx.forPartner(partner.id)).nextInstant());
    expect(await clock.lastInstantOf(partner.id)).toBe(at);
    expect(Math.abs((await clock.databaseNow()) - Date.now())).toBeLessThan(3_600_000);
    expect(await clock.lastInstant()).toBe(at);
  });

  test("the clock's row accepts a real write, and keeps the last time", async () => {
    const { clock } = read();
    const last = await clock.lastInstant();
    await write((tx) => tx.clock.probe(NOW));
    expect(await clock.lastInstant()).toBe(last);
    await write(async (tx) => {
      await tx.clock.setLastInstant(last);
    });
    expect(await clock.lastInstant()).toBe(last);
  });

  test("a purge leaves nothing of a partner, and all of the others", async () => {
    const others = await read().partners.list();
    const applianceIds = ids(await read().appliances.page(partner.id, ALL));
    const files: string[] = [];
    let place: PurgePlace | undefined;
    for (let isEmpty = false; !isEmpty; ) {
      const from = place;
      const step = await write((tx) => tx.purge.step(partner.id, from), { partnerId: partner.id });
      expect(step.place.appliances).toBeGreaterThanOrEqual(from?.appliances ?? -(2 ** 31));
      expect(step.place.properties).toBeGreaterThanOrEqual(from?.properties ?? -(2 ** 31));
      files.push(...step.files);
      ({ place, isEmpty } = step);
    }
    expect(place!.properties).toBeGreaterThan(0);
    expect(files.sort()).toEqual(["f1", "f2", "f3"]);
    await write((tx) => tx.purge.finish(partner.id));
    expect(await read().partners.list()).toEqual(others.filter(({ id }) => id !== partner.id));
    expect(await read().properties.ownerOf(property.id)).toBeUndefined();
    expect(await read().deliveryLog.count({ partnerId: partner.id })).toBe(0);
    expect(await read().export.lastId("serviceEvents")).toBe("");
    expect(await read().models.frailties(1, applianceIds)).toEqual(new Map());
    expect(await read().budgets.taken(partner.id, "2026-01-31")).toBe(0);
  });
}
