import { afterAll } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, which a test may fill to the last byte. */
export type Disk = {
  path: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Removes what `fill` has written. */
  free(): void;
  /** Mounts it again with other options, such as `ro` or `size=9m`. */
  remount(options: string): void;
};

const mount = (...args: string[]) => Bun.spawnSync(["mount", "-t", "tmpfs", ...args]);

/** True where this user may mount a file system. Tests that need one are skipped otherwise. */
export const CAN_MOUNT = (() => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-mount-"));
  const { success } = mount("-o", "size=64k", "tmpfs", folder);
  if (success) Bun.spawnSync(["umount", folder]);
  rmSync(folder, { recursive: true });
  return success;
})();

/** The command prefix that makes the permissions of a file apply even where root runs the tests. */
export const BOUND_BY_RIGHTS: readonly string[] =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

/**
 * Mounts disks for a test file. Call it at the file's top, before `useMainstay`; they are unmounted after its tests.
 */
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
        if (!again.success) throw new Error(`${path} was not remounted: ${again.stderr}`);
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
