import { mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Uploads } from "./usecases/photos.ts";

export const uploadsFolder = (dataDir: string) => join(dataDir, "uploads");

/** Pictures as files of a folder of their own. Names are ours, never a caller's. */
export function openUploads(dataDir: string): Uploads {
  const folder = uploadsFolder(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    async write(filename, bytes) {
      const temporary = join(folder, `.${filename}.part`);
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, join(folder, filename));
    },
    read: (filename) => Bun.file(join(folder, filename)),
    remove: (filename) => rm(join(folder, filename), { force: true }),
  };
}
