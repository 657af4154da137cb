import type { LossComponentsJson } from "../api-schemas/loss-components-schema.ts";
import { type LossesJson, serializeLossTable } from "../api-schemas/losses-schema.ts";
import { spreadsheetCsvLine } from "../csv/write-csv.ts";
import type { LossDeps } from "../usecases/losses/load-loss-books.ts";
import { lossWorkbook } from "../usecases/losses/loss-workbook.ts";
import { csvReply } from "./csv-replies.ts";
import type { AdminCall, PartnerCall, Reply } from "./http-operation.ts";
import { type TableFormat, workbookReply } from "./workbook-replies.ts";

/** Returns what the losses of a call are computed with. */
export const httpLossDeps = ({ store, now, yieldNow, reserveMemory }: PartnerCall | AdminCall): LossDeps => ({
  store,
  now,
  yieldNow,
  reserveMemory,
});

/** Returns losses as a table or a workbook; undefined for JSON. `components`: the components that a workbook lists. */
export async function lossFileReply(
  request: Request,
  format: TableFormat,
  losses: LossesJson,
  name: string,
  components?: () => Promise<LossComponentsJson>,
): Promise<Reply<never> | undefined> {
  if (format === "json") return undefined;
  if (format === "csv")
    return csvReply(request, serializeLossTable(losses).map(spreadsheetCsvLine).join(""), `${name}.csv`);
  return workbookReply(await lossWorkbook(losses, await components?.()), `${name}.xlsx`);
}
