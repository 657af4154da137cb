import { afterAll } from "bun:test";
import pg from "pg";
import { PostgresServer } from "./postgres-server.ts";

/** The address of a server that runs for all test files, as `test/run.ts` starts one. */
export const SHARED_SERVER = "MAINSTAY_TEST_POSTGRES";
/** `postgres`: the tests of stores and servers run on it instead of on SQLite. */
export const STORAGE = "MAINSTAY_TEST_STORAGE";
export const onPostgres = process.env[STORAGE] === "postgres";

/** An administrator's connection. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  // Ended with its database, or its server.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Runs SQL on a connection of its own: the rows. */
export async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connectTo(url);
  try {
    return (await client.query({ text, types: TYPES })).rows;
  } finally {
    await client.end();
  }
}

/** Whole numbers as numbers. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format: "text") =>
    [pg.types.builtins.INT8, pg.types.builtins.NUMERIC].includes(type)
      ? Number
      : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
};

/**
 * Databases on a PostgreSQL server: the one of the whole run, or one of this file's own. Call it at the file's top;
 * what it makes is gone when the file's tests are over.
 */
export function usePostgres() {
  let own: Promise<PostgresServer> | undefined;
  let administrator: Promise<pg.Client> | undefined;
  const names: string[] = [];
  const shared = process.env[SHARED_SERVER];
  const server = async () => {
    own ??= PostgresServer.start();
    return await own;
  };
  const addressOf = async (database: string) => {
    const url = new URL(shared ?? (await server()).url());
    url.pathname = `/${database}`;
    return url.href;
  };
  const ask = async (text: string) => {
    administrator ??= addressOf("postgres").then(connectTo);
    await (await administrator).query(text);
  };
  afterAll(async () => {
    if (shared) for (const name of names) await ask(`DROP DATABASE ${name} WITH (FORCE)`);
    await (await administrator)?.end().catch(() => {});
    await (await own)?.end();
  });
  return {
    /** Makes an empty database, and gives its address as `storage.url` takes it. */
    async newDatabase(options = ""): Promise<string> {
      const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
      await ask(`CREATE DATABASE ${name} ${options}`);
      names.push(name);
      return await addressOf(name);
    },
    /** Runs SQL as the superuser. */
    ask,
  };
}
