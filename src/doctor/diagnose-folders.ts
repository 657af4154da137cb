import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileSizeWording } from "../domain/wording/file-size-wording.ts";
import {
  type DoctorCheck,
  type DoctorFinding,
  failedDoctorFinding,
  okDoctorFinding,
  warningDoctorFinding,
} from "./doctor-check.ts";

const OTHERS_MAY_ACCESS = 0o077;
/** The free space, in bytes, below which writes may fail: the WAL grows before it is checkpointed. */
const MIN_FREE_BYTES = 100e6;

/** Returns the checks of the data folder (existence, owner, mode) and of free disk space, also for backups. */
export function doctorChecksOfFolders(
  dataDir: string,
  databaseFile: string,
  backupDir: string,
): DoctorCheck[] {
  return [
    { name: "data_folder", run: () => checkFolder(dataDir) },
    { name: "disk_space", run: () => diagnoseDiskSpace(dataDir, databaseFile, backupDir) },
  ];
}

function checkFolder(dataDir: string): DoctorFinding {
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  if (!stat)
    return failedDoctorFinding(
      `Data folder not found: ${dataDir}`,
      "Create one with `mainstay init`, restore one with `mainstay restore`, or specify it with --data-dir.",
    );
  if (!stat.isDirectory())
    return failedDoctorFinding(`${dataDir} is not a folder`, "Specify the data folder with --data-dir.");
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failedDoctorFinding(
      `${dataDir} is not writable by this user`,
      "Run as Mainstay's user, or change the owner (chown). Check that the disk is not mounted read-only.",
    );
  }
  // Windows does not report access rights in the mode.
  if (process.platform !== "win32" && (stat.mode & OTHERS_MAY_ACCESS) !== 0)
    return warningDoctorFinding(`${dataDir} is accessible to other users`, `Run: chmod 700 ${dataDir}`);
  return okDoctorFinding(`${dataDir} exists, is private and writable`);
}

/** Checks the free space on the disks of the data folder and the backups. */
export function diagnoseDiskSpace(dataDir: string, databaseFile: string, backupDir: string): DoctorFinding {
  const database = statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0;
  const places = [...new Set([dataDir, backupDir].map(nearestFolder))].map((folder) => {
    const { bavail, bsize } = statfsSync(folder);
    return { folder, free: bavail * bsize };
  });
  const detail = places.map(({ folder, free }) => `${fileSizeWording(free)} free on ${folder}`).join(", ");
  const remedy = "Free some space, move the folder to a larger disk, or keep fewer backups (backup.keep).";
  if (places.some(({ free }) => free < MIN_FREE_BYTES)) return failedDoctorFinding(detail, remedy);
  const needed = 2 * database + MIN_FREE_BYTES;
  if (places.some(({ free }) => free < needed))
    return warningDoctorFinding(
      `${detail}; a backup or an upgrade needs up to ${fileSizeWording(needed)}`,
      remedy,
    );
  return okDoctorFinding(detail);
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
