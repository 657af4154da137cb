import {
  apiSchemaTableCells,
  apiSchemaTableColumns,
  type Cell,
} from "../api-schemas/definition/api-schema-table-cells.ts";
import type { SchemaType } from "../api-schemas/definition/api-schema-type.ts";
import { spreadsheetCsvLine } from "../csv/write-csv.ts";
import { forEachYielding, type Yield } from "../event-loop/event-loop.ts";
import { parseHeaderWeights } from "./accept-header.ts";
import { entityTag, IncrementalEntityTag, matchesEntityTag } from "./entity-tag.ts";
import { type Call, okReply, type Reply, readOperationReplies } from "./http-operation.ts";
import { parseChoiceHttpQueryParameter } from "./http-query-parameters.ts";
import { CHUNK_CHARS } from "./json-reply-stream.ts";
import { openApiExampleOf } from "./openapi/http-openapi-schema-registry.ts";

export const CSV = "text/csv";

/** Returns whether the caller requests CSV, by `format` or else by `Accept`. Throws invalid_request. */
export function wantsCsvReply({ query, request }: Pick<Call, "query" | "request">): boolean {
  const format = parseChoiceHttpQueryParameter(query, "format", ["json", "csv"]);
  return format === undefined ? acceptsCsv(request.headers) : format === "csv";
}

/** Returns whether `Accept` contains CSV and does not prefer JSON. */
export function acceptsCsv(headers: Headers): boolean {
  const accept = headers.get("accept") ?? "";
  // Asked several times for each page: few callers name it, and a look takes a fraction of reading the header.
  if (!accept.toLowerCase().includes(CSV)) return false;
  const weights = parseHeaderWeights(accept);
  const csv = weights.get(CSV) ?? 0;
  return csv > 0 && csv >= (weights.get("application/json") ?? 0);
}

type ListOf = { total: number; limit: number; offset: number };

/** A column that a table has beside another one, and records do not have. */
export type AddedColumn = { after: string; name: string; valueOf: (record: unknown) => Cell };

/**
 * Returns a list as JSON or, if requested, as CSV with one row per record and the paging fields in headers. `added` is a
 * column of the CSV alone.
 */
export function listReply<Body extends ListOf, Name extends keyof Body & string>(
  { query, request }: Pick<Call, "query" | "request">,
  body: Body,
  name: Name,
  record: SchemaType<unknown>,
  added?: AddedColumn,
): Reply<Body> {
  if (!wantsCsvReply({ query, request })) return okReply(body);
  const rows = body[name] as unknown as readonly unknown[];
  return httpCsvPageReply(request, body, csvText(record, rows, added), `${name}.csv`);
}

/** Returns a page of a list as CSV, with the paging fields in headers. */
export const httpCsvPageReply = (request: Request, slice: ListOf, text: string, filename: string) =>
  csvReply(request, text, filename, {
    "x-total-count": String(slice.total),
    ...nextPage(new URL(request.url), slice),
  });

/** Serializes a table of any length as CSV; yields to the event loop in between. */
export async function csvReplyChunks<T>(
  heading: readonly Cell[],
  items: Iterable<T>,
  cellsOf: (item: T) => readonly Cell[],
  yieldNow: Yield,
): Promise<ChunkedText> {
  const chunks: string[] = [];
  const etag = new IncrementalEntityTag();
  let text = spreadsheetCsvLine(heading);
  const endChunk = () => {
    etag.add(text);
    chunks.push(text);
    text = "";
  };
  await forEachYielding(items, yieldNow, (item) => {
    text += spreadsheetCsvLine(cellsOf(item));
    if (text.length >= CHUNK_CHARS) endChunk();
  });
  if (text !== "") endChunk();
  return { chunks, etag: etag.tag };
}

type ChunkedText = { chunks: readonly string[]; etag: string };

/** Returns a CSV response with its ETag, or a 304 if the caller has it already. */
export function csvReply(
  request: Request,
  text: string | ChunkedText,
  filename: string,
  more: Record<string, string> = {},
): Reply<never> {
  const etag = typeof text === "string" ? entityTag(text) : text.etag;
  const headers = {
    "content-type": `${CSV}; charset=utf-8`,
    "content-disposition": `attachment; filename="${filename}"`,
    "cache-control": "private, no-cache",
    vary: "accept",
    etag,
    ...more,
  };
  const isCurrent = matchesEntityTag(request.headers.get("if-none-match"), etag);
  if (isCurrent) return { status: 304, raw: null, headers };
  return typeof text === "string"
    ? { status: 200, raw: text, headers }
    : { status: 200, chunks: text.chunks, headers };
}

function csvText(record: SchemaType<unknown>, rows: readonly unknown[], added?: AddedColumn): string {
  const columns = apiSchemaTableColumns(record);
  const place = added === undefined ? 0 : columns.indexOf(added.after) + 1;
  const withAdded = (cells: readonly Cell[], cell: Cell): readonly Cell[] =>
    added ? cells.toSpliced(place, 0, cell) : cells;
  const lines = [
    withAdded(columns, added?.name ?? null),
    ...rows.map((row) => withAdded(apiSchemaTableCells(record, row), added?.valueOf(row) ?? null)),
  ];
  return lines.map(spreadsheetCsvLine).join("");
}

/** Returns the link to the next page (RFC 8288). It is relative, since a proxy may rewrite the path. */
function nextPage({ searchParams }: URL, { total, limit, offset }: ListOf): Record<string, string> {
  if (offset + limit >= total) return {};
  searchParams.set("limit", String(limit));
  searchParams.set("offset", String(offset + limit));
  return { link: `<?${searchParams}>; rel="next"` };
}

/** The replies of a list that is available as JSON and CSV. */
export function httpListReplies<Body>(
  description: string,
  type: SchemaType<Body>,
  record: SchemaType<unknown>,
  added?: AddedColumn,
) {
  return httpPageReplies(description, type, csvText(record, [openApiExampleOf(record)], added));
}

/** The replies of a list as JSON and CSV, whose CSV columns differ from the fields of its records. */
export function httpPageReplies<Body>(
  description: string,
  type: SchemaType<Body>,
  alternativeExample?: string,
) {
  const replies = readOperationReplies(description, type);
  const headers = {
    ...replies[200].headers,
    "X-Total-Count": { $ref: "#/components/headers/TotalCount" },
    Link: { $ref: "#/components/headers/NextPage" },
  };
  return {
    ...replies,
    200: {
      ...replies[200],
      headers,
      alternativeType: CSV,
      ...(alternativeExample && { alternativeExample }),
    },
  };
}
