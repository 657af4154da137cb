import { expect, test } from "bun:test";
import { useMainstay } from "../support/mainstay.ts";
import { connectTo, rowsOf, tableLockAwaited, usePostgres } from "../support/postgres.ts";

/* Servers that were silent, or about to start, while a newer version changed the schema under them. */

const { install } = useMainstay({ inFolder: true });
const postgres = usePostgres();

/** The effects of a migration that older servers can't live with, as seen once it is committed. */
const TAKE_OUT = `LOCK TABLE servers IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO schema_migrations SELECT max(number) + 1, 'less', '', 0 FROM schema_migrations; DELETE FROM servers`;
const OUTDATED =
  /the database was migrated by a newer version of Mainstay: it has migration \d+ \(less\), this version knows \d+$/m;

// Rule: outdated-server
test("a server that was paused during an incompatible migration stops when it resumes, and logs why", async () => {
  const url = await postgres.newDatabase();
  const server = install({ storage: { url } });
  await server.start();
  process.kill(server.pid, "SIGSTOP");
  await rowsOf(url, `BEGIN; ${TAKE_OUT}; COMMIT`);

  server.expectFault(/migrated by a newer version|^Run the newer executable/);
  process.kill(server.pid, "SIGCONT");
  expect(await server.stopped()).toBe(1);
  const line = await server.logged(({ msg }) => msg.startsWith("stopping: "));
  expect(line).toMatchObject({ level: "error", msg: expect.stringMatching(OUTDATED) });
  expect(line.hint).toContain("Run the newer executable");
  // The next server does not count it as alive.
  expect(await rowsOf(url, "SELECT * FROM servers")).toEqual([]);
});

// Rule: outdated-server
test("a server does not start if a newer version migrates the database meanwhile, and logs why", async () => {
  const url = await postgres.newDatabase();
  const server = install({ storage: { url } });
  await server.createPartner();
  const newer = await connectTo(url);
  await newer.query(`BEGIN; ${TAKE_OUT}`);
  const starts = server.run("serve", "--port", "0");
  // It has looked at the schema, and is about to say that it is there.
  await tableLockAwaited(url, "servers");
  await newer.query("COMMIT");
  await newer.end();
  const { code, stderr } = await starts;
  expect([code, stderr]).toEqual([1, expect.stringMatching(OUTDATED)]);
  expect(await rowsOf(url, "SELECT * FROM servers")).toEqual([]);
});
