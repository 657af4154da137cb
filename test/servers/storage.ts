import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the servers share, and how each of them is told of it. */
export type Storage = {
  kind: "folder";
  /** How many servers it takes. */
  mostServers: number;
  /** The data folder of the nth server. */
  dataDir(nth: number): string;
  /** Settings that make a server use it, as environment variables. */
  env: Readonly<Record<string, string>>;
  end(): Promise<void>;
};

/** One data folder with SQLite's database in it, which one server can have at a time. */
export function folderStorage(): Storage {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-servers-"));
  return {
    kind: "folder",
    mostServers: 1,
    dataDir: () => join(folder, "data"),
    env: {},
    end: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
