import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperatorError } from "../../src/domain/errors.ts";
import {
  createMasterKeyFile,
  deriveSecretKey,
  loadMasterKey,
  masterKeyFilePath,
  parseMasterKey,
} from "../../src/secrets/master-key.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const LINE = `mainstay-key-v1:${"A".repeat(42)}E`;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "mainstay-key-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function refusal(env: Record<string, string> = {}): OperatorError {
  try {
    loadMasterKey({ dataDir, env });
  } catch (error) {
    if (error instanceof OperatorError) return error;
  }
  throw new Error("the key was loaded");
}

describe("the key file", () => {
  // Rule: key-file
  test("is created for its owner alone, can be read, and leaves no other file", () => {
    expect(createMasterKeyFile(dataDir, random)).toBe(true);
    expect(statSync(masterKeyFilePath(dataDir)).mode & 0o777).toBe(0o600);
    expect(readFileSync(masterKeyFilePath(dataDir), "utf8")).toMatch(/^mainstay-key-v1:[\w-]{43}\n$/);
    expect(loadMasterKey({ dataDir, env: {} })).toHaveLength(32);
    expect(readdirSync(dataDir)).toEqual(["mainstay.key"]);
  });

  test("is never replaced", () => {
    createMasterKeyFile(dataDir, random);
    const before = readFileSync(masterKeyFilePath(dataDir), "utf8");
    expect(createMasterKeyFile(dataDir, random)).toBe(false);
    expect(readFileSync(masterKeyFilePath(dataDir), "utf8")).toBe(before);
    expect(readdirSync(dataDir)).toEqual(["mainstay.key"]);
  });

  test("is created by one of several concurrent processes, and all read the same key", async () => {
    const script = `
      import { createMasterKeyFile, loadMasterKey } from "${import.meta.dir}/../../src/secrets/master-key.ts";
      const dataDir = ${JSON.stringify(dataDir)};
      const made = createMasterKeyFile(dataDir, (bytes) => crypto.getRandomValues(bytes));
      console.log(made, Buffer.from(loadMasterKey({ dataDir, env: {} })).toString("hex"));`;
    const runs = Array.from({ length: 8 }, () =>
      Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" }),
    );
    const lines = await Promise.all(runs.map((run) => new Response(run.stdout).text()));
    const results = lines.map((line) => line.trim().split(" "));
    expect(results.filter(([made]) => made === "true")).toHaveLength(1);
    expect(new Set(results.map(([, key]) => key)).size).toBe(1);
    expect(readdirSync(dataDir)).toEqual(["mainstay.key"]);
  });

  // Rule: key-file
  test("is rejected if other users can read it, with the command that fixes it", () => {
    createMasterKeyFile(dataDir, random);
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(masterKeyFilePath(dataDir), mode);
      expect(refusal().message).toContain("is readable by other users");
      expect(refusal().hint).toBe(`Run: chmod 600 ${masterKeyFilePath(dataDir)}`);
    }
  });

  test("is rejected if it is missing or damaged, without showing its content", () => {
    expect(refusal().message).toBe(`key file not found: ${masterKeyFilePath(dataDir)}`);
    for (const text of ["", LINE.slice(0, -1), `${LINE}A`, `v2:${LINE}`, `${LINE}\n${LINE}`]) {
      writeFileSync(masterKeyFilePath(dataDir), text, { mode: 0o600 });
      expect(refusal().message).toBe(`${masterKeyFilePath(dataDir)} does not contain a Mainstay key`);
    }
  });
});

describe("the environment", () => {
  // Rule: key-file
  test("provides the key itself, which overrides the data folder", () => {
    createMasterKeyFile(dataDir, random);
    expect(loadMasterKey({ dataDir, env: { MAINSTAY_KEY: LINE } })).toEqual(parseMasterKey(LINE, ""));
  });

  test("specifies a key file, which must be private", () => {
    const MAINSTAY_KEY_FILE = join(dataDir, "elsewhere");
    writeFileSync(MAINSTAY_KEY_FILE, `${LINE}\n`, { mode: 0o600 });
    expect(loadMasterKey({ dataDir, env: { MAINSTAY_KEY_FILE } })).toEqual(parseMasterKey(LINE, ""));
    chmodSync(MAINSTAY_KEY_FILE, 0o644);
    expect(refusal({ MAINSTAY_KEY_FILE }).message).toContain("is readable by other users");
  });

  test("must not provide both, nor anything else", () => {
    expect(refusal({ MAINSTAY_KEY: LINE, MAINSTAY_KEY_FILE: "f" }).message).toContain("both set");
    expect(refusal({ MAINSTAY_KEY: "hunter2" }).message).toBe("MAINSTAY_KEY does not contain a Mainstay key");
    expect(refusal({ MAINSTAY_KEY: "" }).message).toBe("MAINSTAY_KEY does not contain a Mainstay key");
  });
});

test("keys for different purposes differ, and each is deterministic", () => {
  const master = parseMasterKey(LINE, "");
  expect(deriveSecretKey(master, "seal")).toEqual(deriveSecretKey(master, "seal"));
  expect(deriveSecretKey(master, "seal")).not.toEqual(deriveSecretKey(master, "tokens"));
  expect(deriveSecretKey(master, "seal")).not.toEqual(new Uint8Array(master));
});
