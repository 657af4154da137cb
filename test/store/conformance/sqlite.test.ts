import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { storeConformance } from "./suite.ts";
import { random } from "./test-store.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-conformance-"));
const opened = new Set<Store>();
let databases = 0;
afterAll(async () => {
  await Promise.all([...opened].map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

storeConformance("SQLite", async () => {
  const file = join(folder, `${++databases}.db`);
  return {
    async open(options = {}) {
      const store = openSqliteStore(file, { clock: Date.now, random, ...options });
      const close = async () => {
        opened.delete(closing);
        await store.close();
      };
      const closing = { ...store, close };
      opened.add(closing);
      return closing;
    },
  };
});
