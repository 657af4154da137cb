import { mkdirSync } from "node:fs";
import { opendir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { notFound } from "../domain/errors.ts";
import { isUploadName } from "../domain/photo.ts";
import { replaceFile, toStorageError } from "../files.ts";
import type { Store } from "../store/store.ts";
import type { PhotoFiles } from "../usecases/portfolio/photos.ts";

const uploadsFolder = (dataDir: string) => join(dataDir, "uploads");

/** Opens the folder of photo files. Names are generated, never a caller's. */
function openUploads(dataDir: string): PhotoFiles {
  const folder = uploadsFolder(dataDir);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toStorageError(error, folder);
  }
  return {
    async write(filename, bytes) {
      try {
        await replaceFile(join(folder, filename), bytes);
      } catch (error) {
        throw toStorageError(error, folder);
      }
    },
    writeWithRecord: async () => {},
    async read(filename) {
      const file = Bun.file(join(folder, filename));
      // For a missing file, the runtime would send an error of its own.
      if (!(await file.exists())) throw notFound("Photo not found");
      return file;
    },
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

/** Stores photos in the database, so that a rollback removes them. */
function storedUploads(store: Store): PhotoFiles {
  return {
    write: async () => {},
    writeWithRecord: (tx, filename, bytes) => tx.uploads.insert(filename, bytes, tx.now),
    async read(filename) {
      const bytes = await store.read.uploads.find(filename);
      if (!bytes) throw notFound("Photo not found");
      return new Blob([bytes as Uint8Array<ArrayBuffer>]);
    },
    async remove(filename) {
      await store.write((tx) => tx.uploads.remove([filename]));
    },
    async *writtenBefore(instant) {
      let names = await store.read.uploads.names("", instant, PAGE);
      while (names.length > 0) {
        yield names;
        names = await store.read.uploads.names(names.at(-1)!, instant, PAGE);
      }
    },
  };
}

/** Returns the storage of photos: files, or the database where several servers have no common folder. */
export const uploadsOf = (store: Store, dataDir: string): PhotoFiles =>
  store.isShared ? storedUploads(store) : openUploads(dataDir);

const PAGE = 200;
