import { tierOfHundredths } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { usdFromCents } from "../../domain/money.ts";
import type { Partner } from "../../domain/partner.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import { applianceView, componentView, propertyView, serviceEventView, unitView } from "../../http/views.ts";
import type { ExportedTable } from "../../store/export.ts";
import type { Store } from "../../store/store.ts";

/** One object of an export. */
export type ExportLine = { type: string } & Record<string, unknown>;

const PAGE = 500;
/** A component has a trend row for every change of a year at most. */
const COMPONENTS_OF_TREND_PAGE = 100;

/**
 * Everything that a partner owns, a page at a time: first the partner, then each kind of record, a record that refers
 * to another always after it, and last a line `end` with the counts, by which a file that was cut short is known.
 *
 * What was there when the export began is in it, each record as it is when its page is read; what is added later is
 * not. The server may write meanwhile.
 */
export async function* exportPartner(
  store: Store,
  knowledge: Knowledge,
  partner: Partner,
  now: () => Instant,
): AsyncGenerator<ExportLine[], void> {
  const counts: Record<string, number> = {};
  const from = toIso(now());
  yield [
    {
      type: "partner",
      id: partner.id,
      name: partner.name,
      created_at: toIso(partner.createdAt),
      exported_at: from,
    },
  ];
  for await (const page of records(store, knowledge, partner.id)) {
    const type = page[0]!.type;
    counts[type] = (counts[type] ?? 0) + page.length;
    yield page;
  }
  yield [{ type: "end", finished_at: toIso(now()), counts }];
}

async function* records(store: Store, knowledge: Knowledge, partnerId: string): AsyncGenerator<ExportLine[]> {
  const { read } = store;
  // What a later record may refer to is bounded after it, so that nothing refers to what was left out.
  const last = (table: ExportedTable) => read.export.lastId(table);
  const ends = {
    webhookDeliveries: await last("webhookDeliveries"),
    photos: await last("photos"),
    claims: await last("claims"),
    sensorEvents: await last("sensorEvents"),
    serviceEvents: await last("serviceEvents"),
  };
  const totals = await read.totals.ofPartner(partnerId);
  const settledAt = await read.snapshots.settledAt();

  for await (const page of bySeq(totals.properties, (slice) =>
    read.properties.portfolioPage(partnerId, slice),
  )) {
    yield lines("property", page, ({ property }) => propertyView(property));
  }
  for await (const page of bySeq(totals.properties, (slice) => read.properties.page(partnerId, slice)))
    for (const { id, unitCount } of page)
      for await (const units of bySeq(unitCount, (slice) => read.units.page(id, slice)))
        yield lines("unit", units, unitView);
  for await (const page of bySeq(totals.appliances, (slice) => read.appliances.page(partnerId, slice)))
    yield lines("appliance", page, applianceView);
  for await (const page of bySeq(totals.components, (slice) => read.components.page(partnerId, slice)))
    yield lines("component", page, (row) => componentView(knowledge, row, settledAt));

  const range = { partnerId, limit: PAGE };
  for await (const page of byId(ends.serviceEvents, (ids) => read.export.serviceEvents({ ...range, ...ids })))
    yield lines("service_event", page, serviceEventView);
  for await (const page of byId(ends.sensorEvents, (ids) => read.export.sensorEvents({ ...range, ...ids })))
    yield lines("sensor_event", page, asWire);
  for await (const page of byId(ends.claims, (ids) => read.export.claims({ ...range, ...ids })))
    yield lines("claim", page, asWire);
  for await (const page of byId(ends.photos, (ids) => read.export.photos({ ...range, ...ids })))
    yield lines("photo", page, asWire);
  for await (const page of bySeq(
    totals.components,
    (slice) => read.components.page(partnerId, slice),
    COMPONENTS_OF_TREND_PAGE,
  )) {
    const rows = await read.export.trendRows(page.map(({ id }) => id));
    if (rows.length > 0) yield lines("trend_row", rows, asWire);
  }
  let after = { serviceEventId: "", componentId: "" };
  for (;;) {
    const page = await read.export.outcomes(partnerId, after, ends.serviceEvents, PAGE);
    if (page.length === 0) break;
    after = page.at(-1)!;
    yield lines("outcome", page, (row) => ({ ...asWire(row), risk_tier: tierOfHundredths(row.riskScore) }));
  }
  for await (const page of byId(ends.webhookDeliveries, (ids) =>
    read.export.webhookDeliveries({ ...range, ...ids }),
  ))
    yield lines("delivery", page, asWire);
}

/** Pages over rows that are numbered from 1 without gaps, up to the number `end`. */
async function* bySeq<Row>(
  end: number,
  read: (slice: { offset: number; limit: number }) => Promise<Row[]>,
  size = PAGE,
): AsyncGenerator<Row[]> {
  for (let offset = 0; offset < end; offset += size) {
    const page = await read({ offset, limit: Math.min(size, end - offset) });
    if (page.length === 0) return;
    yield page;
  }
}

/** Pages over rows by their ids, up to the id `last`. */
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

function lines<Row>(type: string, rows: readonly Row[], view: (row: Row) => object): ExportLine[] {
  return rows.map((row) => ({ type, ...view(row) }));
}

/** A stored row that the API shows nowhere as such, by the wire's rules: snake_case, USD, ISO instants, scores of 0 to 1. */
function asWire(row: object): Record<string, unknown> {
  const fields = Object.entries(row).filter(([name]) => name !== "partnerId");
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const wire = snakeCase(name);
      if (typeof value !== "number") return [wire.replace(/_cents$/, ""), value];
      if (name.endsWith("Cents")) return [wire.replace(/_cents$/, ""), usdFromCents(value)];
      if (name.endsWith("At")) return [wire, toIso(value)];
      return [wire, name === "riskScore" ? value / 100 : value];
    }),
  );
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
