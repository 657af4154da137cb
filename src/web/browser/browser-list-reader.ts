/** Reads the JSON of a path. Rejects with an ApiFailure. */
export type ApiReader = { read<T>(path: string): Promise<T> };

/** Reads a whole list, with one call per page of 200 records. */
export async function readWholeListInBrowser<K extends string, T>(
  reader: ApiReader,
  path: string,
  key: K,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const address = `${path}${path.includes("?") ? "&" : "?"}limit=200&offset=${all.length}`;
    const page = await reader.read<Record<K, T[]> & { total: number }>(address);
    all.push(...page[key]);
    if (page[key].length === 0 || all.length >= page.total) return all;
  }
}
