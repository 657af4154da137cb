import { expect, test } from "bun:test";
import { FAULTS } from "./faults/faults.ts";
import { postgresStorage } from "./postgres.ts";
import { type RoundOptions, runRound } from "./round.ts";
import { folderStorage } from "./storage.ts";

/*
 * Short rounds of `bun run check:servers`, with the same choices every time.
 */

async function holds(options: Omit<RoundOptions, "seconds" | "scoredProperties">): Promise<void> {
  const { violations, record } = await runRound({ ...options, seconds: 2, scoredProperties: 10 });
  expect(violations).toEqual([]);
  expect(record.kills).toBeGreaterThan(0);
  expect(record.writes.size).toBeGreaterThan(options.clients);
}

test("a server that is killed again and again keeps every promise", async () => {
  await holds({ seed: 13, servers: 1, clients: 8, faults: [FAULTS.kill!], storage: folderStorage() });
});

test("three servers over one database do, while any is killed and connections are cut at their COMMIT", async () => {
  await holds({
    seed: 14,
    servers: 3,
    clients: 6,
    faults: [FAULTS.kill!, FAULTS["commit-cut"]!],
    storage: await postgresStorage(),
  });
});
