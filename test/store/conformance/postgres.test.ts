import { afterAll } from "bun:test";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { usePostgres } from "../../support/postgres.ts";
import { storeConformance } from "./suite.ts";
import { random } from "./test-store.ts";

const opened = new Set<Store>();
// Before the server ends that they are on.
afterAll(async () => {
  await Promise.all([...opened].map((store) => store.close()));
});
const { newDatabase } = usePostgres();

storeConformance("PostgreSQL", async () => {
  const url = await newDatabase();
  return {
    async open(options = {}) {
      const store = await openPostgresStore(url, { clock: Date.now, random, ...options });
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
