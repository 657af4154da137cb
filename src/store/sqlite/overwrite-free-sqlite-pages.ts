import type { Database } from "bun:sqlite";

/** The pages that one transaction overwrites, which takes a few milliseconds. */
const PAGES_A_STEP = 500;
/** A row of zeros is named so. The table of photos is empty in a data folder, whose photos are files. */
const PREFIX = "free-pages-";

/**
 * Overwrites the free pages of a database, which keep what was deleted before: rows of zeros take all of them, and are deleted
 * again, with those of an earlier call that was killed. `write` runs a function in a transaction of its own. The last pages are
 * taken and some released in one transaction: other writes always find free pages, and do not make the file grow. The write-ahead
 * log has what such a transaction wrote, which a rollback journal would leave out. Of two calls at
 * the same time, one takes the pages that the other releases once more; each releases a fixed number of rows, so both end.
 */
export async function overwriteFreeSqlitePages(
  db: Database,
  write: <T>(run: () => T) => Promise<T>,
  yieldNow: () => Promise<void>,
): Promise<void> {
  type Row = { filename: string };
  const { page_size: pageSize } = db.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
  const free = db.query<{ freelist_count: number }, []>("PRAGMA freelist_count");
  const zeros = db.query<Row, [string, number]>(
    "INSERT INTO uploads (filename, bytes, written_at) VALUES (? || hex(randomblob(16)), zeroblob(?), 0) RETURNING filename",
  );
  const rows = db
    .query<Row, [string]>("SELECT filename FROM uploads WHERE filename LIKE ? || '%'")
    .all(PREFIX);
  const fill = () => {
    const pages = free.get()!.freelist_count;
    const taken = Math.min(pages, PAGES_A_STEP);
    if (taken > 0) rows.push(zeros.get(PREFIX, bytesOfPages(taken, pageSize))!);
    if (pages > taken) return true;
    release();
    return false;
  };
  const release = () => {
    const row = rows.pop();
    if (row) db.run("DELETE FROM uploads WHERE filename = ?", [row.filename]);
    return row !== undefined;
  };
  const repeat = async (step: () => boolean) => {
    while (await write(step)) await yieldNow();
  };
  // The pages of these rows have nothing but zeros, and need no overwriting when they are released.
  db.run("PRAGMA secure_delete = FAST");
  try {
    await repeat(fill);
    await repeat(release);
  } catch (error) {
    // Rows that stay take space until the next purge. A second error adds nothing to the first.
    await repeat(release).catch(() => {});
    throw error;
  } finally {
    db.run("PRAGMA secure_delete = ON");
  }
}

/**
 * Returns the length of a value that fills so many pages to their last byte (https://sqlite.org/fileformat2.html#b_tree_pages):
 * a row keeps a few hundred bytes in its table, the rest is in pages that begin with the number of the next one.
 */
function bytesOfPages(pages: number, pageSize: number): number {
  const keptInTable = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  return pages * (pageSize - 4) + keptInTable;
}
