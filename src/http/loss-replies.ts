import { spreadsheetLine } from "../csv/write.ts";
import { lossWorkbook } from "../usecases/losses/loss-workbook.ts";
import { type LossesJson, lossTable } from "../wire/losses.ts";
import { csvReply } from "./csv-replies.ts";
import type { Reply } from "./operation.ts";
import { type TableFormat, workbookReply } from "./workbook-replies.ts";

/** Returns losses as a table or a workbook; undefined for JSON. */
export async function lossFile(
  request: Request,
  format: TableFormat,
  losses: LossesJson,
  name: string,
): Promise<Reply<never> | undefined> {
  if (format === "json") return undefined;
  if (format === "csv")
    return csvReply(request, lossTable(losses).map(spreadsheetLine).join(""), `${name}.csv`);
  return workbookReply(await lossWorkbook(losses), `${name}.xlsx`);
}
