import type { Database } from "bun:sqlite";

/** The pages that one transaction overwrites, which takes a few milliseconds. */
const PAGES_A_STEP = 500;
/** The table of photos is empty in a data folder, whose photos are files. */
const isScratch = "filename LIKE 'free-pages-%'";

/**
 * Overwrites the free pages of a database, which keep what was deleted before: rows of zeros take all of them, and are deleted
 * again. Those of a call that was killed are deleted first. `write` runs a function in a transaction of its own.
 */
export async function overwriteFreeSqlitePages(
  db: Database,
  write: <T>(run: () => T) => Promise<T>,
  yieldNow: () => Promise<void>,
): Promise<void> {
  const { page_size: pageSize } = db.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
  const free = db.query<{ freelist_count: number }, []>("PRAGMA freelist_count");
  const first = db.query<{ filename: string }, []>(`SELECT filename FROM uploads WHERE ${isScratch} LIMIT 1`);
  const fill = (nth: number) => {
    const pages = Math.min(free.get()!.freelist_count, PAGES_A_STEP);
    if (pages > 0)
      db.run("INSERT INTO uploads (filename, bytes, written_at) VALUES (?, zeroblob(?), 0)", [
        `free-pages-${nth}`,
        pages * pageSize,
      ]);
    return pages > 0;
  };
  const release = () => {
    const scratch = first.get();
    if (scratch) db.run("DELETE FROM uploads WHERE filename = ?", [scratch.filename]);
    return scratch !== null;
  };
  const repeat = async (step: (nth: number) => boolean) => {
    for (let nth = 0; await write(() => step(nth)); nth++) await yieldNow();
  };
  // The pages of these rows have nothing but zeros.
  db.run("PRAGMA secure_delete = OFF");
  try {
    await repeat(release);
    await repeat(fill);
    await repeat(release);
  } finally {
    db.run("PRAGMA secure_delete = ON");
  }
}
