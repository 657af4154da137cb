import { sheetLine } from "../csv/write.ts";
import { forEachYielding, yieldToEventLoop } from "../event-loop.ts";
import { type Cell, tableCells, tableColumns } from "../wire/schema/table.ts";
import { exampleOf } from "../wire/schema/to-openapi.ts";
import type { WireType } from "../wire/schema/wire-type.ts";
import { EntityTagOfPieces, entityTag, isHeld } from "./entity-tag.ts";
import { PIECE } from "./json-pieces.ts";
import { type Call, ok, type Reply, read } from "./operation.ts";
import { parseChoice } from "./query.ts";

export const CSV = "text/csv";

/** Whether the caller wants CSV: by `format`, or else by what it accepts. Throws invalid_request. */
export function wantsCsv({ query, request }: Pick<Call, "query" | "request">): boolean {
  const format = parseChoice(query, "format", ["json", "csv"]);
  return format === undefined ? acceptsCsv(request.headers) : format === "csv";
}

/** Whether CSV is named among what the caller accepts, and JSON is not named before it. */
export function acceptsCsv(headers: Headers): boolean {
  const weights = new Map(
    (headers.get("accept") ?? "").split(",").map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const q = parameters.find((one) => one.startsWith("q="));
      return [type, q === undefined ? 1 : Number(q.slice(2)) || 0] as const;
    }),
  );
  const csv = weights.get(CSV) ?? 0;
  return csv > 0 && csv >= (weights.get("application/json") ?? 0);
}

type ListOf = { total: number; limit: number; offset: number };

/** A list as JSON, or where the caller wants it as CSV: a row a record, and the rest of the envelope in headers. */
export function listReply<Body extends ListOf, Name extends keyof Body & string>(
  { query, request }: Pick<Call, "query" | "request">,
  body: Body,
  name: Name,
  record: WireType<unknown>,
): Reply<Body> {
  if (!wantsCsv({ query, request })) return ok(body);
  const rows = body[name] as unknown as readonly unknown[];
  return csvPage(request, body, csvText(record, rows), `${name}.csv`);
}

/** A page of a list as CSV, with the rest of its envelope in headers. */
export const csvPage = (request: Request, slice: ListOf, text: string, filename: string) =>
  csvReply(request, text, filename, {
    "x-total-count": String(slice.total),
    ...nextPage(new URL(request.url), slice),
  });

/** A table that may be very long, as CSV in pieces; others have their turn while it is made. */
export async function csvPieces<T>(
  heading: readonly Cell[],
  items: Iterable<T>,
  cellsOf: (item: T) => readonly Cell[],
): Promise<TextInPieces> {
  const pieces: string[] = [];
  const etag = new EntityTagOfPieces();
  let text = sheetLine(heading);
  const endPiece = () => {
    etag.add(text);
    pieces.push(text);
    text = "";
  };
  await forEachYielding(items, yieldToEventLoop, (item) => {
    text += sheetLine(cellsOf(item));
    if (text.length >= PIECE) endPiece();
  });
  if (text !== "") endPiece();
  return { pieces, etag: etag.tag };
}

export type TextInPieces = { pieces: readonly string[]; etag: string };

/** CSV, in one text or in pieces, with its tag, or that the one which the caller holds still stands. */
export function csvReply(
  request: Request,
  text: string | TextInPieces,
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
  const held = isHeld(request.headers.get("if-none-match"), etag);
  if (held) return { status: 304, raw: null, headers };
  return typeof text === "string"
    ? { status: 200, raw: text, headers }
    : { status: 200, pieces: text.pieces, headers };
}

function csvText(record: WireType<unknown>, rows: readonly unknown[]): string {
  const lines = [tableColumns(record), ...rows.map((row) => tableCells(record, row))];
  return lines.map(sheetLine).join("");
}

/** Where the next page is, for clients that see no envelope (RFC 8288). Relative, since a proxy may be in between. */
function nextPage({ searchParams }: URL, { total, limit, offset }: ListOf): Record<string, string> {
  if (offset + limit >= total) return {};
  searchParams.set("limit", String(limit));
  searchParams.set("offset", String(offset + limit));
  return { link: `<?${searchParams}>; rel="next"` };
}

/** A 200 of a list that may also be had as CSV, and the 304 of both. */
export function readList<Body>(words: string, form: WireType<Body>, record: WireType<unknown>) {
  return readPages(words, form, csvText(record, [exampleOf(record)]));
}

/** The same of a list whose rows say more than its records. */
export function readPages<Body>(words: string, form: WireType<Body>, textExample?: string) {
  const replies = read(words, form);
  const headers = {
    ...replies[200].headers,
    "X-Total-Count": { $ref: "#/components/headers/TotalCount" },
    Link: { $ref: "#/components/headers/NextPage" },
  };
  return { ...replies, 200: { ...replies[200], headers, orText: CSV, ...(textExample && { textExample }) } };
}
