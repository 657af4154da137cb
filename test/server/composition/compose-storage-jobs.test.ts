import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadConfig } from "../../../src/config/load-config.ts";
import { temporaryPath } from "../../../src/files/durable-files.ts";
import { createLogger } from "../../../src/logging/logger.ts";
import { composePhotoStorage } from "../../../src/server/composition/compose-photo-storage.ts";
import { composeStorageJobs } from "../../../src/server/composition/compose-storage-jobs.ts";
import { serverDatabaseFile } from "../../../src/server/server-data-folder.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";

const root = mkdtempSync(join(tmpdir(), "mainstay-storage-jobs-"));
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let store: Store;
beforeAll(() => {
  mkdirSync(join(root, "data"));
  store = openSqliteStore(serverDatabaseFile(join(root, "data")), { clock: Date.now, random });
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

// Rule: orphaned-uploads
test("files of photos that were refused while their folder could not be changed are deleted a day later, without a start", async () => {
  const dataDir = join(root, "data");
  const file = join(dataDir, "uploads", `${"b".repeat(32)}.png`);
  const config = loadConfig({ env: { MAINSTAY_STORAGE__DATA_DIR: dataDir }, cwd: root });
  const log = createLogger({ level: "error", format: "json", destination: { write: () => {} } });
  // The files are dated by a clock of the kernel, which is a few milliseconds behind.
  let now = Date.now() - 1_000;
  const { jobs } = composeStorageJobs({ config, env: {}, clock: () => now, log, store });
  const job = jobs.find(({ name }) => name === "sweep-uploads")!;
  const sweep = () => job.run(new AbortController().signal);
  await composePhotoStorage(store, dataDir).write(basename(file), Buffer.from("image"));
  now += 3_600_000;
  await sweep();
  expect(existsSync(file)).toBe(true);
  now += 24 * 3_600_000;
  await sweep();
  expect([existsSync(file), job.pattern !== undefined]).toEqual([false, true]);
});

test("a folder that cannot be listed is a warning, and the other is swept", async () => {
  const dataDir = join(root, "data");
  const unlisted = join(root, "backups");
  writeFileSync(unlisted, "no folder");
  const backups = join(root, "kept");
  mkdirSync(backups);
  const abandoned = [dataDir, backups].map((folder) => temporaryPath(join(folder, "s.xml")));
  const longAgo = Date.now() / 1000 - 2 * 86_400;
  for (const path of abandoned) {
    writeFileSync(path, "");
    utimesSync(path, longAgo, longAgo);
  }
  const photos = join(dataDir, `.uploads.${"0".repeat(32)}.backup`);
  mkdirSync(photos);
  writeFileSync(join(photos, "deleted.jpg"), "");
  utimesSync(photos, longAgo, longAgo);
  const sweep = async (dataDir: string, backupDir: string) => {
    const lines: { level: string; msg: string; folder: string }[] = [];
    const log = createLogger({
      level: "info",
      format: "json",
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    });
    const env = { MAINSTAY_STORAGE__DATA_DIR: dataDir, MAINSTAY_BACKUP__DIR: backupDir };
    const config = loadConfig({ env, cwd: root });
    const { jobs } = composeStorageJobs({ config, env: {}, clock: Date.now, log, store });
    await jobs.find(({ name }) => name === "sweep-uploads")!.run(new AbortController().signal);
    return lines.map(({ level, msg, folder }) => ({ level, msg, folder }));
  };
  const swept = (folder: string) => ({ level: "info", msg: "abandoned temporary files removed", folder });
  const refused = { level: "warn", msg: "abandoned temporary files not removed", folder: unlisted };
  expect(await sweep(dataDir, unlisted)).toEqual([swept(dataDir), refused]);
  expect(await sweep(dataDir, backups)).toEqual([swept(backups)]);
  expect([...abandoned, photos].map(existsSync)).toEqual([false, false, false]);
});
