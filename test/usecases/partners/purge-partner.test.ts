import { beforeAll, beforeEach, expect, test } from "bun:test";
import { createEmbed } from "../../../src/usecases/embeds/create-or-revoke-embed.ts";
import { enableOrDisablePartner } from "../../../src/usecases/partners/administer-partner.ts";
import {
  rotateApiKey,
  rotateClientSecret,
} from "../../../src/usecases/partners/create-partner-and-credentials.ts";
import { loadPartnerOverview } from "../../../src/usecases/partners/load-partner-overview.ts";
import { purgePartner } from "../../../src/usecases/partners/purge-partner.ts";
import { recordPhoto } from "../../../src/usecases/photos/record-appliance-photos.ts";
import { type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();
const uploads = { remove: async () => {} };
/** Copied by each test. */
let whole: PortfolioFixture;
let fixture: PortfolioFixture;
beforeAll(async () => {
  whole = await open(Date.parse("2026-03-10T12:00:00Z"));
  const { id: propertyId } = await whole.addProperty({});
  await whole.addAppliances(...Array.from({ length: 150 }, () => ({ propertyId })));
});
beforeEach(async () => {
  fixture = await whole.copy();
});

const purge = async (store = fixture.store, yieldNow: () => Promise<void> = async () => {}) => {
  const partner = (await fixture.store.read.partners.find(fixture.partnerId))!;
  return await purgePartner(
    { administration: { ...fixture.administration, store }, uploads, yieldNow },
    partner,
    partner.name,
  );
};
const actions = async () =>
  (await fixture.store.read.audit.page({ offset: 0, limit: 20 }, { subject: fixture.partnerId })).map(
    ({ action }) => action,
  );
const codeOf = (error: { code?: string }) => error.code ?? error;

// Rule: partner-purge-final
test("a partner whose deletion has started cannot be enabled or get credentials again", async () => {
  const { administration, partnerId, store } = fixture;
  const letIn = async () => [
    await enableOrDisablePartner(administration, partnerId, true).then(() => "on", codeOf),
    await rotateApiKey(administration, partnerId).then(() => "a key", codeOf),
    await rotateClientSecret(administration, partnerId).then(() => "a secret", codeOf),
  ];
  const seen: unknown[] = [];
  await purge(store, async () => {
    if (await store.read.partners.find(partnerId)) seen.push(...(await letIn()));
  });
  expect(seen.length).toBeGreaterThanOrEqual(3);
  expect(new Set(seen)).toEqual(new Set(["conflict"]));
  const gone = await enableOrDisablePartner(administration, partnerId, true).then(() => "on", codeOf);
  expect(gone).toBe("not_found");
});

// Rule: partner-purge-final
test("records of calls that were admitted before are deleted too, up to the last step", async () => {
  let late = 0;
  await purge(fixture.store, async () => {
    if (late++ < 4) await fixture.addProperty({}).catch(() => {});
  });
  expect(late).toBeGreaterThan(1);
  for (const table of ["properties", "event_log", "partner_totals", "webhook_receivers"])
    expect(await fixture.sql(`SELECT 1 FROM ${table}`)).toEqual([]);
});

test("the size of the photos is that of those that are left, at every step", async () => {
  const { partnerId, store } = fixture;
  const rows = await fixture.sql("SELECT id FROM appliances ORDER BY seq");
  const bytes = new Uint8Array([0xff, 0xd8, 0xff]);
  for (const [nth, { id }] of rows.slice(0, 100).entries())
    await store.write(
      async (tx) => {
        const image = { serviceEventId: null, originalName: "tank.jpg", bytes, filename: `${nth}.jpg` };
        await recordPhoto(tx, partnerId, { ...image, applianceId: `${id}` }, 0);
      },
      { partnerId },
    );
  const sizes: number[] = [];
  await purge(store, async () => {
    const [left] = await fixture.sql("SELECT coalesce(sum(bytes), 0) AS bytes FROM photos");
    const [counted] = await fixture.sql("SELECT coalesce(sum(photo_bytes), 0) AS bytes FROM partner_totals");
    expect(Number(counted!.bytes)).toBe(Number(left!.bytes));
    sizes.push(Number(counted!.bytes));
  });
  expect(sizes.some((size) => size > 0 && size < 300)).toBe(true);
  expect(sizes.at(-1)).toBe(0);
});

test("a partner that is deleted while it is read is not found, which is not a server error", async () => {
  const partner = (await fixture.store.read.partners.find(fixture.partnerId))!;
  expect(await loadPartnerOverview(fixture.store, partner)).toMatchObject({ properties: 1, appliances: 150 });
  await purge();
  expect(await loadPartnerOverview(fixture.store, partner).catch(codeOf)).toBe("not_found");
});

test("the page of a property that is deleted meanwhile is not found, which is not a server error", async () => {
  const { administration, partnerId, store } = fixture;
  const { id: propertyId } = await fixture.addProperty({});
  await purge();
  // As it was looked up just before.
  const properties = { ...store.read.properties, ownerOf: async () => partnerId };
  const before = { ...store, read: { ...store.read, properties } };
  const made = createEmbed({ ...administration, store: before }, { propertyId, days: null });
  expect(await made.then(() => "made", codeOf)).toBe("not_found");
});

// Rule: partner-purge
test("two concurrent deletions share the work, and the partner is deleted once", async () => {
  const other = await fixture.open();
  const ended = await Promise.allSettled([purge(), purge(other)]);
  expect(ended.map(({ status }) => status)).toContain("fulfilled");
  for (const one of ended)
    if (one.status === "rejected") expect((one.reason as { code: string }).code).toBe("not_found");
  expect((await actions()).filter((action) => action === "partner.purged")).toEqual(["partner.purged"]);
  expect(await fixture.sql("SELECT 1 FROM partners")).toEqual([]);
});
