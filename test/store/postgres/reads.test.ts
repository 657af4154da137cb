import { afterAll, beforeAll, expect, test } from "bun:test";
import { StorageError } from "../../../src/domain/errors.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { rowsOf, usePostgres, withUsualPatience } from "../../support/postgres.ts";

const { newDatabase } = usePostgres();
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let url: string;
let store: Store;
beforeAll(async () => {
  // As patient with a database that is away as a server is.
  url = withUsualPatience(await newDatabase());
  store = await openPostgresStore(url, { clock: Date.now, random });
  await store.write((tx) =>
    tx.partners.insert({
      ...{ id: "PARTNER_1", name: "Acme", enabled: true, dailyBudget: 1, credentialGeneration: 1 },
      createdAt: tx.now,
    }),
  );
  await rowsOf(url, "ALTER TABLE partners RENAME TO all_partners");
});
afterAll(() => store.close());

/** Has reads of the partners end as one does that waits for whoever changes the table, and is waited for. */
const undoReads = (times: number) =>
  rowsOf(
    url,
    `DROP SEQUENCE IF EXISTS reads CASCADE;
     CREATE SEQUENCE reads;
     CREATE OR REPLACE FUNCTION undone() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
     BEGIN
       IF nextval('reads') <= ${times} THEN
         RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
       END IF;
       RETURN true;
     END $$;
     CREATE OR REPLACE VIEW partners AS SELECT * FROM all_partners WHERE undone()`,
  );

test("a read that was undone only because of another transaction is made again", async () => {
  await undoReads(3);
  expect((await store.read.partners.list()).map(({ id }) => id)).toEqual(["PARTNER_1"]);
});

test("one that is undone for good is refused as what may be tried later, and is no fault of the server", async () => {
  await undoReads(1_000_000);
  const failure = await store.read.partners.list().catch((error: unknown) => store.explain(error));
  expect(failure).toBeInstanceOf(StorageError);
  expect(String(failure)).toContain("again and again (deadlock detected)");
});
