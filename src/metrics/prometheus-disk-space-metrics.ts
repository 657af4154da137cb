import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { readMetricWithTimeout } from "./read-metric-with-timeout.ts";

type DiskSpace = { freeBytes: number; sizeBytes: number };

/**
 * Returns a function that reads the space of the disks of some folders by name, at the nearest parent of a folder that does
 * not exist. It leaves out a disk that does not respond within that time, such as an unreachable network disk.
 */
export function diskSpaceMetricsReader(
  folders: Readonly<Record<string, string>>,
  withinMs: number,
  read: (folder: string) => Promise<DiskSpace> = readSpace,
): () => Promise<Readonly<Record<string, DiskSpace>>> {
  const readers = Object.entries(folders).map(([name, folder]) => {
    const readOrNothing = () => read(folder).catch(() => undefined);
    return [name, readMetricWithTimeout(readOrNothing, withinMs)] as const;
  });
  return async () => {
    const found = await Promise.all(readers.map(async ([name, reader]) => [name, await reader()] as const));
    return Object.fromEntries(found.flatMap(([name, space]) => (space ? [[name, space]] : [])));
  };
}

async function readSpace(folder: string): Promise<DiskSpace> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === folder) throw error;
    return await readSpace(parent);
  }
}
