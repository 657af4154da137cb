import { expect } from "bun:test";

/** Stack frames, sources, SQL, and paths on the server's disk. */
const INSIDES =
  /\bat (\S+ \()?\S*\/\S+:\d+:\d+|\.(ts|js):\d+|node_modules|\$bunfs|SQLITE|\b(SELECT|INSERT INTO|UPDATE|DELETE) .*\b(FROM|VALUES|SET)\b|mainstay\.(db|key|toml)|\/(tmp|home|root|var|usr)\/|(Type|Syntax|Range|Reference)Error/;

/** Checks that an answer contains no internals of the server and no secret. */
export function expectNoLeak(text: string, secrets: readonly string[] = []): void {
  expect(INSIDES.exec(text)?.[0], `the server's insides in: ${text.slice(0, 500)}`).toBeUndefined();
  for (const secret of secrets)
    expect(text.includes(secret), `a secret in: ${text.slice(0, 500)}`).toBe(false);
}
