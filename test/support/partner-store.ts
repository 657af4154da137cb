import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeEach } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEncryptor, type Encryptor } from "../../src/secrets/encryptor.ts";
import { createMasterKeyFile, loadMasterKey } from "../../src/secrets/master-key.ts";
import type * as PostgresStore from "../../src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import {
  type AdminUseCaseDeps,
  createPartner,
} from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { onPostgres, poolOn, usePostgres } from "./postgres.ts";
import { TEMPLATE_FILE } from "./template-file.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

const FILE = "mainstay.db";

/** Loads the store at its first use, which takes a third of the processor time of a test file's imports. */
async function openPostgres(...args: Parameters<typeof PostgresStore.openPostgresStore>): Promise<Store> {
  const { openPostgresStore } = await import("../../src/store/postgres/postgres-store.ts");
  return await openPostgresStore(...args);
}

/** A database with one partner, and a clock that the test sets. */
export type PartnerFixture = {
  /** The file of SQLite's database; it does not exist on PostgreSQL. */
  file: string;
  /** Runs SQL that both engines support, beside the store; returns the rows, with integers as numbers. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  store: Store;
  encryptor: Encryptor;
  administration: AdminUseCaseDeps;
  partnerId: string;
  webhookSecret: string;
  clock: () => number;
  time: { now: number };
  /** Opens the same database again, as another process does. */
  open(): Promise<Store>;
  /** Closes the stores on it: PostgreSQL has connections for a few hundred at a time, each of which takes several. */
  close(): Promise<void>;
  /** Copies the database with all its rows, and closes the stores on this one. */
  copy(): Promise<PartnerFixture>;
  /** The partners that `changed` was called with. */
  changed: string[];
};

/** The folder with the key, and the address of the database unless it is a file in that folder. */
type Place = { dataDir: string; url: string | undefined };

/**
 * Creates databases with a partner for the tests of one file. Call it at the file's top; everything is closed and
 * removed after the file's tests. With `inFile`, for tests of SQLite alone, the database is a file in any run.
 */
export function usePartnerStore({ inFile = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-partner-"));
  const stores = new Set<Pick<Store, "close">>();
  let before: ReadonlySet<Pick<Store, "close">> = stores;
  const close = async (those: Iterable<Pick<Store, "close">>) => {
    const open = [...those].filter((store) => stores.delete(store));
    await Promise.all(open.map((store) => store.close()));
  };
  // An open store polls PostgreSQL. Those that were opened before all tests stay open until their end.
  beforeEach(() => {
    before = new Set(stores);
  });
  afterEach(async () => {
    await close([...stores].filter((store) => !before.has(store)));
  });
  afterAll(async () => {
    await close(stores);
    rmSync(folder, { recursive: true });
  });
  // The databases are removed after the stores on them.
  const postgres = onPostgres && !inFile ? usePostgres() : undefined;
  let folders = 0;
  const newFolder = () => mkdtempSync(join(folder, `${folders++}-`));
  let schema: Promise<string> | undefined;
  /** A file with the schema and no rows: a copy of it takes less time than a migration. */
  const migrated = async () => {
    const template = process.env[TEMPLATE_FILE];
    if (template !== undefined) return template;
    const file = join(newFolder(), FILE);
    await openSqliteStore(file, { clock: Date.now, random }).close();
    return file;
  };

  const fixtureAt = async ({ dataDir, url }: Place, now: number) => {
    const encryptor = createEncryptor(loadMasterKey({ dataDir, env: {} }));
    const time = { now };
    const clock = () => time.now;
    const file = join(dataDir, FILE);
    const own: Pick<Store, "close">[] = [];
    const open = async () => {
      const options = { clock, random };
      const store = url ? await openPostgres(url, options) : openSqliteStore(file, options);
      stores.add(store);
      own.push(store);
      return store;
    };
    const pool = url ? poolOn(url) : undefined;
    if (pool) {
      stores.add(pool);
      own.push(pool);
    }
    const sql = async (text: string) => {
      if (pool) return await pool.rows(text);
      const db = new Database(file, { strict: true });
      try {
        return db.query<Record<string, unknown>, []>(text).all();
      } finally {
        db.close();
      }
    };
    const store = await open();
    const changed: string[] = [];
    const administration: AdminUseCaseDeps = {
      store,
      encryptor,
      random,
      actor: "cli:test",
      changed: (partnerId) => void changed.push(partnerId),
    };
    const copied = async () => {
      await close(own);
      const place = { dataDir: newFolder(), url: url && (await postgres!.copyOf(url)) };
      cpSync(dataDir, place.dataDir, { recursive: true });
      return await fixtureAt(place, time.now);
    };
    const fixture = {
      file,
      store,
      encryptor,
      administration,
      clock,
      time,
      open,
      sql,
      changed,
      close: () => close(own),
    };
    return { fixture, copied };
  };
  type At = Awaited<ReturnType<typeof fixtureAt>>;
  const withPartner = (
    { fixture, copied }: At,
    partner: Pick<PartnerFixture, "partnerId" | "webhookSecret">,
  ): PartnerFixture => ({
    ...fixture,
    ...partner,
    copy: async () => withPartner(await copied(), partner),
  });
  return async (now: number, webhookUrl: string | null = "http://hooks.test/"): Promise<PartnerFixture> => {
    const place = { dataDir: newFolder(), url: await postgres?.newInstallation() };
    createMasterKeyFile(place.dataDir, random);
    if (!place.url) {
      schema ??= migrated();
      cpSync(await schema, join(place.dataDir, FILE));
    }
    const made = await fixtureAt(place, now);
    const { partner, credentials } = await createPartner(made.fixture.administration, {
      name: "Acme",
      dailyBudget: 1000,
      webhookUrl,
    });
    return withPartner(made, { partnerId: partner.id, webhookSecret: credentials.webhookSecret });
  };
}
