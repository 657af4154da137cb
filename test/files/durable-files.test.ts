import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readBackupArchive } from "../../src/backup/backup-archive.ts";
import { readBackupPassphrase } from "../../src/backup/read-backup-passphrase.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import {
  createFile,
  replaceFile,
  sweepTemporaryFiles,
  temporaryPath,
} from "../../src/files/durable-files.ts";
import { loadMasterKey, masterKeyFilePath } from "../../src/secrets/master-key.ts";
import { readTlsAuthorities } from "../../src/tls/pem-files.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("replaceFile writes at mode 0600, replaces the file, and leaves no other file", async () => {
  const path = join(folder, "record.json");
  await replaceFile(path, "the first, which is longer");
  await replaceFile(path, new TextEncoder().encode("the second"));
  expect(readFileSync(path, "utf8")).toBe("the second");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["record.json"]);
});

test("replaceFile leaves nothing behind when it fails", async () => {
  const taken = join(folder, "taken");
  mkdirSync(join(taken, "by a folder"), { recursive: true });
  await expect(replaceFile(taken, "text")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

/** Returns a file that must not change, in a folder of its own. */
function victim(): string {
  const path = join(mkdtempSync(join(folder, "victim-")), "victim");
  writeFileSync(path, "untouched");
  return path;
}

test("replaceFile does not write through a planted link", async () => {
  const here = mkdtempSync(join(folder, "planted-"));
  const other = victim();
  symlinkSync(other, join(here, ".report.xml.part"));
  await replaceFile(join(here, "report.xml"), "report");
  expect(readFileSync(other, "utf8")).toBe("untouched");
  expect(readFileSync(join(here, "report.xml"), "utf8")).toBe("report");
  expect(readlinkSync(join(here, ".report.xml.part"))).toBe(other);
});

test("replaceFile replaces a link and leaves its target unchanged", async () => {
  const here = mkdtempSync(join(folder, "link-"));
  const other = victim();
  symlinkSync(other, join(here, "report.xml"));
  await replaceFile(join(here, "report.xml"), "report");
  expect(readFileSync(other, "utf8")).toBe("untouched");
  expect(lstatSync(join(here, "report.xml")).isFile()).toBe(true);
});

test("a temporary path is hidden, in the same folder, unpredictable, and short for a long name", () => {
  const paths = new Set(Array.from({ length: 100 }, () => temporaryPath("/data/report.xml")));
  expect(paths.size).toBe(100);
  for (const path of paths) expect(path).toMatch(/^\/data\/\.report\.xml\.[0-9a-f]{32}\.part$/);
  expect(Buffer.byteLength(temporaryPath(`/data/${"漢".repeat(85)}`).slice(6))).toBeLessThan(256);
});

test("createFile follows no link, to a file or to nothing", () => {
  const here = mkdtempSync(join(folder, "create-"));
  const other = victim();
  symlinkSync(other, join(here, "to-file"));
  symlinkSync(join(here, "nothing"), join(here, "dangling"));
  for (const name of ["to-file", "dangling"])
    expect(() => createFile(join(here, name), "text")).toThrow("EEXIST");
  createFile(join(here, "new"), "text");
  expect(statSync(join(here, "new")).mode & 0o777).toBe(0o600);
  expect(readdirSync(here).sort()).toEqual(["dangling", "new", "to-file"]);
  expect(readFileSync(other, "utf8")).toBe("untouched");
});

test("only temporary files that are a day old are removed, and no links, folders or other names", async () => {
  const here = mkdtempSync(join(folder, "swept-"));
  const now = Date.now();
  const daysAgo = (path: string, days: number) => utimesSync(path, now / 1000, now / 1000 - days * 86_400);
  const old = [temporaryPath(join(here, "last-backup.json")), temporaryPath(join(here, "n".repeat(90)))];
  const young = temporaryPath(join(here, "mainstay.key"));
  const others = [".report.xml.part", `mine.${"a".repeat(32)}.part`, `.mine.${"A".repeat(32)}.part`];
  const link = temporaryPath(join(here, "link"));
  const kept = temporaryPath(join(here, "folder"));
  for (const path of [...old, young, ...others.map((name) => join(here, name))]) writeFileSync(path, "text");
  for (const path of [...old, ...others.map((name) => join(here, name))]) daysAgo(path, 2);
  daysAgo(young, 0.9);
  mkdirSync(kept);
  daysAgo(kept, 2);
  symlinkSync(victim(), link);
  expect(await sweepTemporaryFiles(here, now)).toBe(2);
  const left = [young, link, kept, ...others.map((name) => join(here, name))];
  expect(readdirSync(here).toSorted()).toEqual(left.map((path) => basename(path)).toSorted());
  expect(await sweepTemporaryFiles(here, now)).toBe(0);
  expect(await sweepTemporaryFiles(join(here, "absent"), now)).toBe(0);
  // A link is not removed either when it is old by the clock of the caller.
  expect(await sweepTemporaryFiles(here, now + 3 * 86_400_000)).toBe(1);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

describe("a pipe that nobody writes to is refused at once", () => {
  const home = mkdtempSync(join(tmpdir(), "mainstay-pipe-"));
  const pipe = masterKeyFilePath(home);
  const cwd = home;
  let ending: ReturnType<typeof Bun.spawn>;
  beforeAll(() => {
    Bun.spawnSync(["mkfifo", "-m", "600", pipe]);
    // Ends a read that waits, so that a test fails and does not hang.
    ending = Bun.spawn(["sh", "-c", 'while sleep 5; do : > "$0"; done', pipe]);
  });
  afterAll(() => {
    ending.kill("SIGKILL");
    rmSync(home, { recursive: true });
  });

  test.each<[string, () => unknown]>([
    ["of a passphrase or password", () => readBackupPassphrase(pipe, "")],
    ["of the settings", () => loadConfig({ file: pipe, env: {}, cwd })],
    [
      "of a setting",
      () => loadConfig({ env: { MAINSTAY_BACKUP__PASSPHRASE_FILE: pipe, MAINSTAY_CONFIG: "" }, cwd }),
    ],
    ["of the key", () => loadMasterKey({ dataDir: home, env: {} })],
    ["of certificates", () => readTlsAuthorities({ setting: "tls.cert_file", path: pipe })],
    ["of a backup", () => readBackupArchive(pipe, undefined).next()],
  ])("as a file %s", async (_, read) => {
    await expect(Promise.try(read)).rejects.toThrow(`${pipe} is not a regular file`);
  });
});
