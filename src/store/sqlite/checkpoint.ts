import { Worker } from "node:worker_threads";

/** In a text, since an executable is one file. What it opens syncs the log before it is written into the database. */
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
 * Writes the log of a database that this process has open into it, as far as nobody reads what was before, on a thread
 * that lives as long as that takes: for the pages of a large transaction this one would be held. Rejects when it fails.
 */
export async function checkpointBeside(file: string): Promise<void> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: file });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once("message", () => resolve());
      worker.once("error", reject);
      worker.once("exit", () =>
        reject(new Error("the thread of the checkpoint has ended before it was done")),
      );
    });
  } finally {
    await worker.terminate();
  }
}
