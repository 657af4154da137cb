import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "./database.ts";

/** What the servers share, and how each of them is told of it. */
export type Storage = {
  /** How many servers it takes. */
  mostServers: number;
  /** The data folder of the nth server. */
  dataDir(nth: number): string;
  /** Settings that make a server use it, as environment variables. */
  env: Readonly<Record<string, string>>;
  /** Where it is a database of its own: what faults are done to. */
  database?: Database;
  end(): Promise<void>;
};

/** One data folder with SQLite's database in it, which one server can have at a time. */
export function folderStorage(): Storage {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-servers-"));
  return {
    mostServers: 1,
    dataDir: () => join(folder, "data"),
    env: {},
    end: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
