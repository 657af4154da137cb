import { expect, test } from "bun:test";
import { FAULTS } from "./faults/faults.ts";
import { postgresStorage } from "./postgres.ts";
import { runRound } from "./round.ts";
import { folderStorage } from "./storage.ts";

/*
 * Short rounds of `bun run check:servers`, with the same choices every time.
 */

test("a server that is killed again and again keeps every promise", async () => {
  const { violations } = await runRound({
    seed: 13,
    servers: 1,
    clients: 32,
    seconds: 4,
    faults: [FAULTS.kill!],
    storage: folderStorage(),
  });
  expect(violations).toEqual([]);
});

test("three servers over one database do, while any is killed and connections are cut at their COMMIT", async () => {
  const { violations } = await runRound({
    seed: 14,
    servers: 3,
    clients: 24,
    seconds: 4,
    faults: [FAULTS.kill!, FAULTS["commit-cut"]!],
    storage: await postgresStorage(),
  });
  expect(violations).toEqual([]);
});
