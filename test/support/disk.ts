import { afterAll } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own in memory, which a test may fill to the last byte. */
export type Disk = {
  path: string;
  /** Leaves not a byte free. */
  fill(): void;
  /** Removes what `fill` has written. */
  free(): void;
  /** Mounts it anew with these options, such as `ro` or `size=9m`. */
  remount(options: string): void;
};

const mount = (...args: string[]) => Bun.spawnSync(["mount", "-t", "tmpfs", ...args]);

/** Whether this user may mount a file system. Tests that need one are counted as skipped otherwise. */
export const CAN_MOUNT = (() => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-mount-"));
  const { success } = mount("-o", "size=64k", "tmpfs", folder);
  if (success) Bun.spawnSync(["umount", folder]);
  rmSync(folder, { recursive: true });
  return success;
})();

/** What to run a command under so that a file's rights mean something to it, whoever runs the tests. */
export const BOUND_BY_RIGHTS: readonly string[] =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

/** Call it at the file's top, before `useMainstay`; the disks are gone when the file's tests are over. */
export function useDisks() {
  const disks: string[] = [];
  afterAll(() => {
    for (const path of disks) {
      Bun.spawnSync(["umount", "--lazy", path]);
      rmSync(path, { recursive: true, force: true });
    }
  });
  return (megabytes: number): Disk => {
    const path = mkdtempSync(join(tmpdir(), "mainstay-disk-"));
    disks.push(path);
    const { success, stderr } = mount("-o", `size=${megabytes}m,mode=700`, "tmpfs", path);
    if (!success) throw new Error(`no file system at ${path}: ${stderr}`);
    const ballast = join(path, "ballast");
    return {
      path,
      fill: () => fillWith(ballast),
      free: () => rmSync(ballast, { force: true }),
      remount: (options) => {
        const again = Bun.spawnSync(["mount", "-o", `remount,${options}`, path]);
        if (!again.success) throw new Error(`${path} was not mounted anew: ${again.stderr}`);
      },
    };
  };
}

function fillWith(file: string): void {
  const descriptor = openSync(file, "a");
  for (const bytes of [1 << 20, 1 << 16, 1 << 12, 1]) {
    try {
      while (writeSync(descriptor, new Uint8Array(bytes)) === bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  closeSync(descriptor);
}
