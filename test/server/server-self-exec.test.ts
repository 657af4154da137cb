import { expect, test } from "bun:test";
import { serverSelfExec } from "../../src/server/server-self-exec.ts";

test("runs a command of the same program, in any host of the server", async () => {
  const { signal } = new AbortController();
  expect(await serverSelfExec({ args: ["version"], env: process.env, signal })).toMatchObject({
    version: expect.any(String),
  });
});
