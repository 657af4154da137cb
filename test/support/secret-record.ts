import { appendFileSync, closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { type Leak, type Secret, SecretSearch } from "./secret-search.ts";

/*
 * Records the secrets and the output of a run's tests. `test/run.ts` names a folder for the record and searches it
 * after all tests; without that folder nothing is recorded.
 */

/** The environment variable that names the folder. */
export const RECORD_FOLDER = "MAINSTAY_TEST_RECORD";

const folder = process.env[RECORD_FOLDER];
const known = new Map<string, Secret>();

/** The patterns of the product's credentials. */
const KINDS: [kind: string, pattern: RegExp][] = [
  ["API key", /svc_live_[\da-f]{48}/g],
  ["client secret", /svc_secret_[\da-f]{48}/g],
  ["administrator's key", /svc_admin_[\da-f]{48}/g],
  ["webhook secret", /whsec_[A-Za-z\d+/]{43}=/g],
  // Longer than the API document's example.
  ["bearer token", /svct_[\w-]{16,}\.[\w-]{16,}\.[\w-]{16,}/g],
  ["key of the data folder", /mainstay-key-v1:[\w-]{43}/g],
];
/** Shorter values appear in texts by chance. */
const SHORTEST = 8;

export function recordSecret(kind: string, value: string): void {
  if (value.length < SHORTEST || known.has(value)) return;
  known.set(value, { kind, value });
  if (folder) appendFileSync(join(folder, `secrets.${process.pid}`), `${JSON.stringify({ kind, value })}\n`);
}

/** Records everything in the text that looks like a credential: a command's output, or a file of the data folder. */
export function recordSecretsIn(text: string): void {
  for (const [kind, pattern] of KINDS)
    for (const [value] of text.matchAll(pattern)) recordSecret(kind, value);
}

let open: { name: string; descriptor: number } | undefined;

/** Records the output of the product that must contain no secret. */
export function recordOutput(text: string): void {
  if (!folder || text === "") return;
  const name = `output.${basename(Bun.main)}.${process.pid}`;
  if (open?.name !== name) {
    if (open) closeSync(open.descriptor);
    open = { name, descriptor: openSync(join(folder, name), "a") };
  }
  writeSync(open.descriptor, text.endsWith("\n") ? text : `${text}\n`);
}

/** Returns the secrets of this process that the files contain. */
export function secretsInFiles(paths: readonly string[]): string[] {
  const search = new SecretSearch(known.values());
  return paths.flatMap((path) =>
    search.find(readFileSync(path, "latin1")).map((leak) => inWords(path, leak)),
  );
}

/** Returns the secrets of a whole run that its output contains; `secrets` is the number searched for. */
export function searchRecord(record: string): { secrets: number; leaks: string[] } {
  const names = readdirSync(record);
  const read = (name: string) => readFileSync(join(record, name), "utf8");
  const secrets = names
    .filter((name) => name.startsWith("secrets."))
    .flatMap((name) => read(name).trimEnd().split("\n"))
    .map((line) => JSON.parse(line) as Secret);
  const search = new SecretSearch(secrets);
  const leaks = names
    .filter((name) => name.startsWith("output."))
    .flatMap((name) =>
      search.find(read(name)).map((leak) => inWords(name.split(".").slice(1, -1).join("."), leak)),
    );
  return { secrets: secrets.length, leaks };
}

const inWords = (file: string, { kind, form }: Leak) => `${file}: a ${kind}, ${form}`;
