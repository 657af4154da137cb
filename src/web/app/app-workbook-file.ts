import type { SheetTable } from "../../xlsx/workbook-tables.ts";

/** The attribute of the app's element with the address of the script that reads workbooks. */
export const READER_ATTRIBUTE = "data-workbook-reader";

export type WorkbookRequest = { name: string; bytes: ArrayBuffer };
export type WorkbookReply = { sheets: SheetTable[] } | { problem: string };

/** Reads a workbook in a thread of its own. Ends the thread when it has answered, or is aborted. */
export async function readAppWorkbookFile(
  file: Pick<File, "name" | "arrayBuffer">,
  signal: AbortSignal,
): Promise<WorkbookReply> {
  const { name } = file;
  const unreadable = {
    problem: `${name} cannot be read. It may have been moved or changed. Choose it again.`,
  };
  const bytes = await file.arrayBuffer().catch(() => undefined);
  if (!bytes) return unreadable;
  const address = document.querySelector(`[${READER_ATTRIBUTE}]`)!.getAttribute(READER_ATTRIBUTE)!;
  const worker = new Worker(address, { type: "module" });
  try {
    return await new Promise<WorkbookReply>((resolve) => {
      worker.addEventListener("message", ({ data }: MessageEvent<WorkbookReply>) => resolve(data));
      // A script that cannot be loaded has no message.
      worker.addEventListener("error", (event: Event) =>
        resolve({
          problem:
            event instanceof ErrorEvent
              ? `${name} needs more memory than the browser has. Save the sheet as CSV UTF-8.`
              : `${name} cannot be read. Reload the page and try again.`,
        }),
      );
      signal.addEventListener("abort", () => resolve(unreadable));
      const request: WorkbookRequest = { name, bytes };
      worker.postMessage(request, [bytes]);
    });
  } finally {
    worker.terminate();
  }
}
