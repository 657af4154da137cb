import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for the files of one target. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), "mainstay-fuzz-"));

  /** Writes a file, over the previous one of that name; returns its path. */
  file(name: string, content: Buffer): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
