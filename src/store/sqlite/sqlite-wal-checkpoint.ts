import { Worker } from "node:worker_threads";

/** The source of the worker, as text since the executable is one file. It syncs the log before the checkpoint. */
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const { Database } = require("bun:sqlite");
const db = new Database(workerData, { create: false, readwrite: true });
try {
  db.run("PRAGMA synchronous = FULL");
  db.run("PRAGMA wal_checkpoint(PASSIVE)");
} finally {
  db.close();
}
parentPort.postMessage("done");
`;

/**
 * Writes the log of a database into it in a worker thread, since the pages of a large transaction would block this one.
 * Pages that a reader still needs stay in the log. Rejects when it fails.
 */
export async function checkpointSqliteInWorker(file: string): Promise<void> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: file });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once("message", () => resolve());
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the worker of the checkpoint exited before it was done")));
    });
  } finally {
    await worker.terminate();
  }
}
