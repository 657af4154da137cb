import { expect, test } from "bun:test";
import { selfExec } from "../../src/server/self-exec.ts";

test("runs a command of the same program, in any host of the server", async () => {
  const { signal } = new AbortController();
  expect(await selfExec({ args: ["version"], env: process.env, signal })).toMatchObject({
    version: expect.any(String),
  });
});
