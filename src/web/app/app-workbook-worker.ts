import { OperatorError } from "../../domain/errors.ts";
import { readWorkbookTables } from "../../xlsx/workbook-tables.ts";
import type { WorkbookReply, WorkbookRequest } from "./app-workbook-file.ts";

/* Reads workbooks in a thread of their own: the page stays responsive, and the server never sees the file. */

addEventListener("message", async ({ data: { name, bytes } }: MessageEvent<WorkbookRequest>) => {
  postMessage(await read(name, bytes));
});

async function read(name: string, bytes: ArrayBuffer): Promise<WorkbookReply> {
  try {
    return { sheets: await readWorkbookTables(name, new Uint8Array(bytes)) };
  } catch (error) {
    const [problem, hint] =
      error instanceof OperatorError ? [error.message, error.hint ?? ""] : [`${name} cannot be read`, ""];
    return { problem: `${problem}. ${hint}`.trim() };
  }
}
