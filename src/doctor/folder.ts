import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { inMegabytes } from "../files.ts";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";

const OTHERS_MAY_ACCESS = 0o077;
/** Below this the next writes fail; the database grows by its WAL before it is tidied. */
const LEAST_FREE = 100e6;

/** Whether the data folder is there, ours and private, and has room, and so has the backups' folder. */
export function folderChecks(dataDir: string, databaseFile: string, backupDir: string): Check[] {
  return [
    { name: "data_folder", run: () => checkFolder(dataDir) },
    { name: "disk_space", run: () => checkRoom(dataDir, databaseFile, backupDir) },
  ];
}

function checkFolder(dataDir: string): Finding {
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  if (!stat)
    return fail(
      `there is no data folder ${dataDir}`,
      "Make one with `mainstay init`, restore one with `mainstay restore`, or name the right one with --data-dir.",
    );
  if (!stat.isDirectory()) return fail(`${dataDir} is no folder`, "Name the data folder with --data-dir.");
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      `${dataDir} cannot be written by this user`,
      "Run as the user that runs Mainstay, or give it the folder (chown); check whether the disk is mounted read-only.",
    );
  }
  // Windows keeps access rights elsewhere and reports every folder as open to all.
  if (process.platform !== "win32" && (stat.mode & OTHERS_MAY_ACCESS) !== 0)
    return warn(`${dataDir} can be entered by other users`, `Run: chmod 700 ${dataDir}`);
  return ok(`${dataDir} is there, private, and can be written`);
}

/** Whether the disks of the data folder and of the backups have room. */
export function checkRoom(dataDir: string, databaseFile: string, backupDir: string): Finding {
  const database = statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0;
  const places = [...new Set([dataDir, backupDir].map(nearestFolder))].map((folder) => {
    const { bavail, bsize } = statfsSync(folder);
    return { folder, free: bavail * bsize };
  });
  const inWords = places.map(({ folder, free }) => `${inMegabytes(free)} free in ${folder}`).join(", ");
  const remedy =
    "Make room or move the folder to a larger disk; before that, take fewer backups (backup.keep).";
  if (places.some(({ free }) => free < LEAST_FREE)) return fail(inWords, remedy);
  const needed = 2 * database + LEAST_FREE;
  if (places.some(({ free }) => free < needed))
    return warn(`${inWords}; a backup or an upgrade needs up to ${inMegabytes(needed)}`, remedy);
  return ok(inWords);
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
