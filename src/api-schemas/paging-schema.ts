import { type Fields, type RecordOf, RecordType, SchemaType } from "./definition/api-schema-type.ts";
import { objectSchema, textSchema, wholeNumberSchema } from "./definition/schema-field-types.ts";

/** A part of a list: its maximum number of records, and the number of records before it. */
export type RowRange = { limit: number; offset: number };

export const partnerName = textSchema("The partner's company name", "Acme Insurance");

/** The position of a page in its list. */
export const pagingFields = {
  total: wholeNumberSchema("Matching records on all pages", 1),
  limit: wholeNumberSchema("Page size, at most 200", 50),
  offset: wholeNumberSchema("Records skipped", 0),
  page: wholeNumberSchema("Page number, from 1", 1),
  pages: wholeNumberSchema("Number of pages", 1),
};

/** The fields beside the array in every list of a partner. */
const envelopeFields = { ...pagingFields, partner: partnerName };

/** Serializes the position of a page of records that belong to no partner. */
export const serializePaging = objectSchema(pagingFields).serializer(
  ({ limit, offset }: RowRange, total: number) => ({
    total,
    limit,
    offset,
    page: Math.floor(offset / limit) + 1,
    pages: Math.ceil(total / limit),
  }),
);
export type PagingJson = ReturnType<typeof serializePaging>;

const serializeEnvelope = objectSchema(envelopeFields).serializer(
  (slice: RowRange, total: number, partner: string) => ({
    ...serializePaging(slice, total),
    partner,
  }),
);

type PageFields<N extends string, T, More extends Fields> = { [K in N]: SchemaType<T[]> } & More &
  typeof envelopeFields;
type MoreOf<More extends Fields> = keyof More extends never ? [] : [more: RecordOf<More>];

/** A page of a partner's list, with further fields. */
class Page<N extends string, T, More extends Fields> extends RecordType<PageFields<N, T, More>> {
  constructor(
    private readonly list: N,
    item: SchemaType<T>,
    more: More,
    description = `The ${list.replaceAll("_", " ")} on this page`,
  ) {
    const records = new SchemaType<T[]>({ kind: "list", item }, { description });
    super({ [list]: records, ...more, ...envelopeFields } as PageFields<N, T, More>);
  }

  /** Serializes a page. `total` counts the records on all pages. */
  of(
    records: readonly T[],
    slice: RowRange,
    total: number,
    partner: string,
    ...[more]: MoreOf<More>
  ): RecordOf<PageFields<N, T, More>> {
    const written = { [this.list]: records, ...more, ...serializeEnvelope(slice, total, partner) };
    return written as unknown as RecordOf<PageFields<N, T, More>>;
  }
}

/** A page of records under the name of the list. */
export const pageSchema = <const N extends string, T, const More extends Fields = Record<never, never>>(
  name: N,
  item: SchemaType<T>,
  more: More = {} as More,
  description?: string,
) => new Page(name, item, more, description);

type UnscopedPageFields<N extends string, T, More extends Fields> = { [K in N]: SchemaType<T[]> } & More &
  typeof pagingFields;

/** A page of records that belong to no partner. */
class UnscopedPage<N extends string, T, More extends Fields> extends RecordType<
  UnscopedPageFields<N, T, More>
> {
  constructor(
    private readonly list: N,
    item: SchemaType<T>,
    more: More,
  ) {
    const records = new SchemaType<T[]>({ kind: "list", item }, { description: `The ${list} on this page` });
    super({ [list]: records, ...more, ...pagingFields } as UnscopedPageFields<N, T, More>);
  }

  /** Serializes a page. `total` counts the records on all pages. */
  of(
    records: readonly T[],
    slice: RowRange,
    total: number,
    ...[more]: MoreOf<More>
  ): RecordOf<UnscopedPageFields<N, T, More>> {
    const written = { [this.list]: records, ...more, ...serializePaging(slice, total) };
    return written as unknown as RecordOf<UnscopedPageFields<N, T, More>>;
  }
}

export const unscopedPageSchema = <
  const N extends string,
  T,
  const More extends Fields = Record<never, never>,
>(
  name: N,
  item: SchemaType<T>,
  more: More = {} as More,
) => new UnscopedPage(name, item, more);

/** Adds the partner's name to a record. */
export const schemaWithPartner = <F extends Fields>(record: RecordType<F>) =>
  record.and({ partner: partnerName });

export const addPartnerToJson = <T extends object>(record: T, partner: string): T & { partner: string } => ({
  ...record,
  partner,
});
