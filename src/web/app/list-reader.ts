import { useCallback, useState } from "preact/hooks";
import type { ApiClient } from "../browser/api-client.ts";
import { type Loaded, useLoaded } from "../browser/loaded.ts";

/** A list of the API's as far as it is wanted: its first page, and each further one when it is asked for. */
export type ListRead<P, T> = { rows: T[]; first: P; total: number };

/** The API's largest page. */
const PAGE = 200;

export function useList<K extends string, T, P extends Record<K, T[]> & { total: number }>(
  api: ApiClient,
  path: string,
  key: K,
): Loaded<ListRead<P, T>> & { more: () => void } {
  const [wanted, setWanted] = useState({ path, pages: 1 });
  const pages = wanted.path === path ? wanted.pages : 1;
  const loaded = useLoaded(path, async () => await readPages<K, T, P>(api, path, key, pages));
  const { again } = loaded;
  const more = useCallback(() => {
    setWanted({ path, pages: pages + 1 });
    again();
  }, [path, pages, again]);
  return { ...loaded, more };
}

/** Pages that are known are not asked for again. */
async function readPages<K extends string, T, P extends Record<K, T[]> & { total: number }>(
  api: ApiClient,
  path: string,
  key: K,
  pages: number,
): Promise<ListRead<P, T>> {
  const rows: T[] = [];
  let first: P | undefined;
  for (let page = 0; page < pages; page++) {
    const at = `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE}&offset=${page * PAGE}`;
    const read = await api.read<P>(at);
    first ??= read;
    rows.push(...read[key]);
    if (read[key].length < PAGE) break;
  }
  return { rows, first: first!, total: first!.total };
}
