import { expect, test } from "bun:test";
import { runServerChildProcess } from "../../src/server/server-child-process.ts";

test("runs a command of the same program, in any host of the server", async () => {
  const { signal } = new AbortController();
  expect(await runServerChildProcess({ args: ["version"], env: process.env, signal })).toMatchObject({
    version: expect.any(String),
  });
});
