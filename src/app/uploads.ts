import { mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { refusedWrite } from "../domain/errors.ts";
import type { Uploads } from "../usecases/photos.ts";

const uploadsFolder = (dataDir: string) => join(dataDir, "uploads");

/** Pictures as files of a folder of their own. Names are ours, never a caller's. */
export function openUploads(dataDir: string): Uploads {
  const folder = uploadsFolder(dataDir);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refusedWrite(error, folder);
  }
  return {
    async write(filename, bytes) {
      const temporary = join(folder, `.${filename}.part`);
      try {
        await writeDurably(temporary, bytes);
        await rename(temporary, join(folder, filename));
        await syncFolder(folder);
      } catch (error) {
        await rm(temporary, { force: true });
        throw refusedWrite(error, folder);
      }
    },
    read: (filename) => Bun.file(join(folder, filename)),
    remove: (filename) => rm(join(folder, filename), { force: true }),
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a new name survive a power cut. Windows can't open a folder and does so by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
