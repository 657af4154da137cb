import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CAN_MOUNT } from "./disk.ts";
import { removeStaleFolders } from "./temporary-folders.ts";

test("what killed runs have left is removed, with the disks in it; what cannot be read stays", () => {
  const root = mkdtempSync(join(tmpdir(), "stale-"));
  const hoursOld = (name: string, hours: number) => {
    const path = join(root, name);
    const then = Date.now() / 1000 - hours * 3600;
    utimesSync(path, then, then);
  };
  for (const name of ["mainstay-old", "mainstay-new", "another"]) mkdirSync(join(root, name));
  mkdirSync(join(root, "mainstay-old", "disk"));
  if (CAN_MOUNT) Bun.spawnSync(["mount", "-t", "tmpfs", "tmpfs", join(root, "mainstay-old", "disk")]);
  writeFileSync(join(root, "mainstay-old", "disk", "rows"), "");
  for (const name of ["mainstay-old", "another"]) hoursOld(name, 2);
  symlinkSync(join(root, "nowhere"), join(root, "mainstay-a-link"));

  removeStaleFolders(root);

  expect(readdirSync(root).sort()).toEqual(["another", "mainstay-a-link", "mainstay-new"]);
  rmSync(root, { recursive: true });
});
