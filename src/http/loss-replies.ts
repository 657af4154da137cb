import { spreadsheetLine } from "../csv/write.ts";
import { lossWorkbook } from "../usecases/losses/loss-workbook.ts";
import { type LossesJson, lossTable } from "../wire/losses.ts";
import { acceptsCsv, csvReply } from "./csv-replies.ts";
import type { Call, Reply } from "./operation.ts";
import { parseChoice } from "./query.ts";

export const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

type Format = "json" | "csv" | "xlsx";

/** Parses the format of losses: by `format`, or else by `Accept`. Throws invalid_request. */
export function lossFormat({ query, request }: Pick<Call, "query" | "request">): Format {
  const format = parseChoice(query, "format", ["json", "csv", "xlsx"]);
  return format ?? (acceptsCsv(request.headers) ? "csv" : "json");
}

/** Returns losses as a table or a workbook; undefined for JSON. */
export async function lossFile(
  request: Request,
  format: Format,
  losses: LossesJson,
  name: string,
): Promise<Reply<never> | undefined> {
  if (format === "json") return undefined;
  if (format === "csv")
    return csvReply(request, lossTable(losses).map(spreadsheetLine).join(""), `${name}.csv`);
  const headers = {
    "content-type": XLSX,
    "content-disposition": `attachment; filename="${name}.xlsx"`,
    "cache-control": "private, no-cache",
  };
  return { status: 200, raw: await lossWorkbook(losses), headers };
}
