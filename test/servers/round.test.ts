import { expect, test } from "bun:test";
import { FAULTS } from "./faults/faults.ts";
import { runRound } from "./round.ts";
import { folderStorage } from "./storage.ts";

/** A short one of `bun run check:servers`, the same choices every time. */
test("a server that is killed again and again keeps every promise", async () => {
  const { violations } = await runRound({
    ...{ seed: 13, servers: 1, clients: 32, seconds: 4 },
    faults: [FAULTS.kill!],
    storage: folderStorage(),
  });
  expect(violations).toEqual([]);
});
