import { expect, test } from "bun:test";
import { runServerChildCommand } from "../../src/server/server-child-command.ts";

test("runs a command of the same program, in any host of the server", async () => {
  const { signal } = new AbortController();
  expect(await runServerChildCommand({ args: ["version"], env: process.env, signal })).toMatchObject({
    version: expect.any(String),
  });
});
