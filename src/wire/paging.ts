import { object, text, whole } from "./schema/fields.ts";
import { type Fields, type RecordOf, RecordType, WireType } from "./schema/wire-type.ts";

/** A part of a list, by how many records it has at most and how many stand before it. */
type Slice = { limit: number; offset: number };

export const partnerName = text("The partner's company name", "Acme Insurance");

/** Where a page stands in its list. */
const pagingFields = {
  total: whole("Records that match, on all pages", 1),
  limit: whole("Page size asked for, at most 200", 50),
  offset: whole("Records skipped", 0),
  page: whole("Number of the page, from 1", 1),
  pages: whole("Number of pages", 1),
};

/** The envelope of every list of a partner's, beside its array. */
export const envelopeFields = { ...pagingFields, partner: partnerName };

/** Where a page stands, of what belongs to no partner. */
export const pagingView = object(pagingFields).serializer(({ limit, offset }: Slice, total: number) => ({
  total,
  limit,
  offset,
  page: Math.floor(offset / limit) + 1,
  pages: Math.ceil(total / limit),
}));

export const envelopeView = object(envelopeFields).serializer(
  (slice: Slice, total: number, partner: string) => ({
    ...pagingView(slice, total),
    partner,
  }),
);

type PageFields<N extends string, T, More extends Fields> = { [K in N]: WireType<T[]> } & More &
  typeof envelopeFields;
type MoreOf<More extends Fields> = keyof More extends never ? [] : [more: RecordOf<More>];

/** A page of a partner's list, and what else is told beside it. */
export class Page<N extends string, T, More extends Fields> extends RecordType<PageFields<N, T, More>> {
  constructor(
    private readonly list: N,
    item: WireType<T>,
    more: More,
    words = `The page's ${list.replaceAll("_", " ")}`,
  ) {
    const records = new WireType<T[]>({ kind: "list", item }, { description: words });
    super({ [list]: records, ...more, ...envelopeFields } as PageFields<N, T, More>);
  }

  /** The page as it is written. `total` counts the list's records on all pages. */
  of(
    records: readonly T[],
    slice: Slice,
    total: number,
    partner: string,
    ...[more]: MoreOf<More>
  ): RecordOf<PageFields<N, T, More>> {
    const written = { [this.list]: records, ...more, ...envelopeView(slice, total, partner) };
    return written as unknown as RecordOf<PageFields<N, T, More>>;
  }
}

/** A page of records under the name of the list. */
export const page = <const N extends string, T, const More extends Fields = Record<never, never>>(
  name: N,
  item: WireType<T>,
  more: More = {} as More,
  words?: string,
) => new Page(name, item, more, words);

type OperatorsFields<N extends string, T> = { [K in N]: WireType<T[]> } & typeof pagingFields;

/** A page of what belongs to no partner. */
export class OperatorsPage<N extends string, T> extends RecordType<OperatorsFields<N, T>> {
  constructor(
    private readonly list: N,
    item: WireType<T>,
  ) {
    const records = new WireType<T[]>({ kind: "list", item }, { description: `The page's ${list}` });
    super({ [list]: records, ...pagingFields } as OperatorsFields<N, T>);
  }

  /** The page as it is written. `total` counts the records on all pages. */
  of(records: readonly T[], slice: Slice, total: number): RecordOf<OperatorsFields<N, T>> {
    const written = { [this.list]: records, ...pagingView(slice, total) };
    return written as unknown as RecordOf<OperatorsFields<N, T>>;
  }
}

export const operatorsPage = <const N extends string, T>(name: N, item: WireType<T>) =>
  new OperatorsPage(name, item);

/** A record in an answer, with the name of the partner that it is for. */
export const forPartner = <F extends Fields>(record: RecordType<F>) => record.and({ partner: partnerName });

export const withPartner = <T extends object>(record: T, partner: string): T & { partner: string } => ({
  ...record,
  partner,
});
