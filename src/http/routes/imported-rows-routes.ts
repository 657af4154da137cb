import {
  importedRowsReply,
  importedRowsRequest,
  parseRowsToImportJson,
  serializeImportedRows,
} from "../../api-schemas/imported-rows-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { invalid } from "../../domain/errors.ts";
import { MOST_ROWS } from "../../table-cells/table-limits.ts";
import { createdReplies, createdReply, type Operation, partnerOperation } from "../http-operation.ts";

export function importedRowsOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "importRows",
      method: "POST",
      path: "/v1/import-rows",
      summary: "Import rows of a table with columns of any names",
      description: `Takes up to ${MOST_ROWS} rows of a CSV file or a sheet; send a longer file in several requests, each with all headings, with the \`mapping\` of the first response and the \`continuation\` of the one before, since equipment without a \`serial\` is matched by count. A row becomes a property, an appliance, a service event or a claim, and what exists already stays as it is, so a repeated request adds nothing; \`update\` changes it by the cells that are not empty. A row names a property by \`property_id\` or by \`partner_property_id\`, else by its address or name. With \`dry_run\`, nothing is written, and rows that refer to rows of other requests are rejected. 409 while another import of the account runs.`,
      tag: "Properties",
      request: {
        type: importedRowsRequest,
        example: {
          file: "buildings.csv",
          columns: ["Building", "Address", "State", "Year Built"],
          rows: [["A-17", "1 Elm St", "NY", "1931"]],
          dry_run: true,
        },
      },
      replies: createdReplies("The result", importedRowsReply),
      errors: [409],
      body: "json",
      async handle({ body, partner, store, now, yieldNow }) {
        // Its columns come from the validators, which a server creates with the first validation and not at its start.
        const { importTableRows } = await import("../../usecases/import/import-table-rows.ts");
        const { validFileMapping } = await import("../../usecases/import/mapping/import-file-mapping.ts");
        const { formatImportContinuation, parseImportContinuation } = await import(
          "../../usecases/import/import-equal-row-counts.ts"
        );
        const {
          mapping: given,
          continuation,
          update,
          dryRun,
          silent,
          ...table
        } = parseRowsToImportJson(body);
        const mapping = given && validFileMapping(given);
        if (given && !mapping)
          throw invalid("mapping must be one that an earlier response has, changed or not", [
            { field: "mapping", message: "must be one that an earlier response has, changed or not" },
          ]);
        const deps = { store, knowledge, partner, clock: () => now, yieldNow };
        const equalRows = parseImportContinuation(continuation, dryRun);
        const imported = await importTableRows(deps, table, { mapping, equalRows, update, dryRun, silent });
        const result = { ...imported, continuation: formatImportContinuation(imported.equalRows, dryRun) };
        return createdReply(addPartnerToJson(serializeImportedRows(result), partner.name));
      },
    }),
  ];
}
