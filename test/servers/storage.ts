import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "./database.ts";

/** The storage that the servers share, and how each of them is configured for it. */
export type Storage = {
  /** The number of servers that it allows. */
  mostServers: number;
  /** Returns the data folder of the nth server. */
  dataDir(nth: number): string;
  /** The environment variables that make a server use it. */
  env: Readonly<Record<string, string>>;
  /** The database for faults, where the storage is one. */
  database?: Database;
  end(): Promise<void>;
};

/** One data folder with SQLite's database, which one server can use at a time. */
export function folderStorage(): Storage {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-servers-"));
  return {
    mostServers: 1,
    dataDir: () => join(folder, "data"),
    env: {},
    end: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
