import { expect, test } from "bun:test";
import { runOwnCommand } from "../../src/app/own-command.ts";

test("a command of our own is the program's, whatever embeds the server", async () => {
  const { signal } = new AbortController();
  expect(await runOwnCommand({ args: ["version"], env: process.env, signal })).toMatchObject({
    version: expect.any(String),
  });
});
