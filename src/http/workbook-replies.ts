import { acceptsCsv } from "./csv-replies.ts";
import type { Call, Reply } from "./http-operation.ts";
import { parseChoiceHttpQueryParameter } from "./http-query-parameters.ts";

export const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export type TableFormat = "json" | "csv" | "xlsx";

/** Parses a format that may be a workbook: by `format`, or else by `Accept`. Throws invalid_request. */
export function parseTableFormatParameter({ query, request }: Pick<Call, "query" | "request">): TableFormat {
  const format = parseChoiceHttpQueryParameter(query, "format", ["json", "csv", "xlsx"]);
  return format ?? (acceptsCsv(request.headers) ? "csv" : "json");
}

/** Returns a workbook as a download. */
export const workbookReply = (bytes: Uint8Array<ArrayBuffer>, filename: string): Reply<never> => ({
  status: 200,
  raw: bytes,
  headers: {
    "content-type": XLSX,
    "content-disposition": `attachment; filename="${filename}"`,
    "cache-control": "private, no-cache",
  },
});
