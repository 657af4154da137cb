import { mkdirSync } from "node:fs";
import { opendir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { refusedWrite } from "../domain/errors.ts";
import { isUploadName } from "../domain/photo.ts";
import { replaceFile } from "../files.ts";
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
      try {
        await replaceFile(join(folder, filename), bytes);
      } catch (error) {
        throw refusedWrite(error, folder);
      }
    },
    read: (filename) => Bun.file(join(folder, filename)),
    remove: (filename) => rm(join(folder, filename), { force: true }),
    async *writtenBefore(instant) {
      let names: string[] = [];
      for await (const { name } of await opendir(folder)) {
        if (!isUploadName(name)) continue;
        const written = await stat(join(folder, name)).catch(() => undefined);
        if (written === undefined || written.mtimeMs >= instant) continue;
        names.push(name);
        if (names.length < PAGE) continue;
        yield names;
        names = [];
      }
      yield names;
    },
  };
}

const PAGE = 200;
