import {
  type ExportLine,
  serializeApplianceLine,
  serializeBrandLine,
  serializeClaimLine,
  serializeComponentLine,
  serializeConditionTrendLine,
  serializeCostLineLine,
  serializeDeliveryLine,
  serializeEmbedLine,
  serializeEmbedViewLine,
  serializeEndLine,
  serializeOutcomeLine,
  serializePartnerLine,
  serializePhotoLine,
  serializePropertyLine,
  serializeSavedFilterLine,
  serializeSensorEventLine,
  serializeServiceEventLine,
  serializeTrendRowLine,
  serializeUnitLine,
  serializeWorkMarkLine,
} from "../../api-schemas/export-schema.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import type { ExportedTable } from "../../store/queries/export-queries.ts";
import type { Store } from "../../store/store.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import { loadActionsOfListedComponents } from "../planning/load-actions-by-component.ts";
import { isRecalculatingSums } from "../recalculation/recalculate-sums.ts";

const PAGE = 500;
/** A component has at most one trend row per change within a year. */
const COMPONENTS_OF_TREND_PAGE = 100;
/** An embed has at most 200 views. */
const EMBEDS_OF_PAGE = 10;

/**
 * Yields everything that a partner owns, a page at a time: first the partner, then each kind of record, with
 * references always to earlier records (marks on work follow the page of their subjects), and last a line `end` with the counts, by which a truncated file is
 * recognized.
 *
 * Records that existed at the start are included, each in its state when its page is read; later ones are not. The
 * server may write meanwhile.
 */
export async function* exportPartner(
  store: Store,
  knowledge: Knowledge,
  partner: Partner,
  now: () => Instant,
): AsyncGenerator<ExportLine[], void> {
  const counts: Record<string, number> = {};
  yield [serializePartnerLine(partner, now())];
  for await (const page of records(store, knowledge, partner.id, now())) {
    const type = page[0]!.type;
    counts[type] = (counts[type] ?? 0) + page.length;
    yield page;
    await yieldToEventLoop();
  }
  yield [serializeEndLine(now(), counts)];
}

async function* records(
  store: Store,
  knowledge: Knowledge,
  partnerId: string,
  startedAt: Instant,
): AsyncGenerator<ExportLine[]> {
  const { read } = store;
  // The bounds of referenced tables are read last, so that no record refers to one that is left out.
  const last = (table: ExportedTable) => read.export.lastId(table);
  const ends = {
    webhookDeliveries: await last("webhookDeliveries"),
    photos: await last("photos"),
    claims: await last("claims"),
    sensorEvents: await last("sensorEvents"),
    serviceEvents: await last("serviceEvents"),
  };
  // Retired properties and appliances are exported too.
  const totals = await read.totals.stored(partnerId);
  const latestSnapshotAt = await read.snapshots.latestSnapshotAt();
  const prices = await loadCurrentPartnerPrices(read, knowledge, partnerId);

  const book = await read.costLines.ofPartner(partnerId);
  if (book.length > 0) yield book.map(serializeCostLineLine);
  const filters = await read.savedFilters.ofPartner(partnerId);
  if (filters.length > 0) yield filters.map(serializeSavedFilterLine);
  const brand = await read.brands.find(partnerId);
  if (brand) yield [serializeBrandLine(brand)];
  type Range = { offset: number; limit: number };
  const properties = ({ offset, limit }: Range) =>
    read.properties.numbered(partnerId, offset, offset + limit);
  const components = ({ offset, limit }: Range) =>
    read.components.numbered(partnerId, offset, offset + limit);
  for await (const page of bySeq(totals.properties, properties)) yield page.map(serializePropertyLine);
  const ofPortfolio = await read.conditionTrends.points(partnerId, null);
  if (ofPortfolio.length > 0) yield ofPortfolio.map((point) => serializeConditionTrendLine(null, point));
  for await (const page of bySeq(totals.properties, properties))
    for (const { id } of page) {
      const points = await read.conditionTrends.points(partnerId, id);
      if (points.length > 0) yield points.map((point) => serializeConditionTrendLine(id, point));
    }
  for await (const page of bySeq(totals.properties, properties))
    for (const { id, unitCount } of page)
      for await (const units of bySeq(unitCount, (slice) => read.units.page(id, slice)))
        yield units.map(serializeUnitLine);
  const embeds = (after: string) => read.embeds.ofPartnerAfter(partnerId, after, EMBEDS_OF_PAGE);
  for (let page = await embeds(""); page.length > 0; page = await embeds(page.at(-1)!.id)) {
    yield page.map((embed) => serializeEmbedLine(embed, startedAt));
    const views = page.flatMap(({ id, recentViews }) =>
      recentViews.map((view) => serializeEmbedViewLine(id, view)),
    );
    if (views.length > 0) yield views;
  }
  for await (const page of bySeq(totals.appliances, ({ offset, limit }) =>
    read.appliances.numbered(partnerId, offset, offset + limit),
  )) {
    yield page.map((appliance) => serializeApplianceLine(knowledge, appliance));
    yield* workMarks(store, page);
  }
  for await (const page of bySeq(totals.components, components)) {
    yield await componentLines(
      {
        store,
        prices,
        yieldNow: yieldToEventLoop,
        isRecalculating: await isRecalculatingSums(read, partnerId),
      },
      page,
      latestSnapshotAt,
    );
    yield* workMarks(store, page);
  }

  const range = { partnerId, limit: PAGE };
  for await (const page of byId(ends.serviceEvents, (ids) => read.export.serviceEvents({ ...range, ...ids })))
    yield page.map(serializeServiceEventLine);
  for await (const page of byId(ends.sensorEvents, (ids) => read.export.sensorEvents({ ...range, ...ids })))
    yield page.map(serializeSensorEventLine);
  for await (const page of byId(ends.claims, (ids) => read.export.claims({ ...range, ...ids })))
    yield page.map(serializeClaimLine);
  for await (const page of byId(ends.photos, (ids) => read.export.photos({ ...range, ...ids })))
    yield page.map(serializePhotoLine);
  for await (const page of bySeq(totals.components, components, COMPONENTS_OF_TREND_PAGE)) {
    const rows = await read.export.trendRows(page.map(({ id }) => id));
    if (rows.length > 0) yield rows.map(serializeTrendRowLine);
  }
  let after = { serviceEventId: "", componentId: "" };
  for (;;) {
    const page = await read.export.outcomes(partnerId, after, ends.serviceEvents, PAGE);
    if (page.length === 0) break;
    after = page.at(-1)!;
    yield page.map(serializeOutcomeLine);
  }
  for await (const page of byId(ends.webhookDeliveries, (ids) =>
    read.export.webhookDeliveries({ ...range, ...ids }),
  ))
    yield page.map(serializeDeliveryLine);
}

async function componentLines(
  deps: Parameters<typeof loadActionsOfListedComponents>[0],
  page: readonly PlacedComponent[],
  latestSnapshotAt: Instant | null,
): Promise<ExportLine[]> {
  const actions = await loadActionsOfListedComponents(deps, page);
  return page.map((row, index) => serializeComponentLine(deps.prices, row, actions[index], latestSnapshotAt));
}

/** Yields the marks on the work of components, or of appliances as a whole, unless there are none. */
async function* workMarks(
  { read }: Store,
  subjects: readonly { id: string }[],
): AsyncGenerator<ExportLine[]> {
  const marks = await read.work.ofSubjects(subjects.map(({ id }) => id));
  if (marks.length > 0) yield marks.map(serializeWorkMarkLine);
}

/** Yields pages of rows numbered from 1 without gaps, up to `end`. */
async function* bySeq<Row>(
  end: number,
  read: (slice: { offset: number; limit: number }) => Promise<Row[]>,
  size = PAGE,
): AsyncGenerator<Row[]> {
  for (let offset = 0; offset < end; offset += size) {
    const page = await read({ offset, limit: Math.min(size, end - offset) });
    if (page.length === 0) return;
    yield page;
    // Not every page has lines to export, after which the reader yields.
    await yieldToEventLoop();
  }
}

/** Yields pages of rows ordered by id, up to `last`. */
async function* byId<Row extends { id: string }>(
  last: string,
  read: (ids: { after: string; last: string }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after = ""; ; ) {
    const page = await read({ after, last });
    if (page.length === 0) return;
    after = page.at(-1)!.id;
    yield page;
  }
}
