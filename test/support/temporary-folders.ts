import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A file system in memory. Creating a database there takes a tenth of the processor time that it takes on a disk, and
 * no write waits for the disk: what is acknowledged survives a kill of any process, which tests do, but not a power
 * cut, which none does.
 */
const IN_MEMORY = "/dev/shm";
/** Enough for the databases of a whole run with their log. */
const BYTES_NEEDED = 4 * 1024 ** 3;
const STALE_MS = 3_600_000;

/** The environment variable with the folder of the programs that tests unpack once for all runs. */
const PROGRAMS = "MAINSTAY_TEST_PROGRAMS";
export const programsFolder = (): string => process.env[PROGRAMS] ?? tmpdir();

/** Returns the environment of tests whose temporary folders are in that folder, unlike their programs. */
export const temporaryIn = (folder: string) => ({ TMPDIR: folder, [PROGRAMS]: programsFolder() });

/** Returns the folder for temporary folders: in memory, unless that is too small, or runs no programs where some are. */
export function temporaryRoot({ hasPrograms = false } = {}): string {
  try {
    removeStaleFolders();
    if (hasPrograms && runsNoPrograms()) return tmpdir();
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    accessSync(IN_MEMORY, constants.W_OK);
    return bavail * bsize >= BYTES_NEEDED ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** True as in most containers. */
const runsNoPrograms = () =>
  readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .some((line) => line.includes(` ${IN_MEMORY} `) && /\bnoexec\b/.test(line));

/**
 * Removes what killed runs have left in a folder, with the disks that are still mounted in it. What cannot be removed
 * stays: an error would send the run to a disk, where it takes a quarter longer.
 */
export function removeStaleFolders(root = IN_MEMORY): void {
  for (const name of readdirSync(root)) {
    const folder = join(root, name);
    try {
      if (!name.startsWith("mainstay-") || Date.now() - statSync(folder).mtimeMs < STALE_MS) continue;
      const pidFile = join(folder, "data", "postmaster.pid");
      const pid = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n")[0]! : "";
      if (existsSync(`/proc/${pid || "none"}`)) continue;
      for (const disk of mountsBelow(folder)) Bun.spawnSync(["umount", "--lazy", disk]);
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another run removes it at the same time, or it is another user's.
    }
  }
}

const mountsBelow = (folder: string): string[] =>
  readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(`${folder}/`));
