import { useCallback, useState } from "preact/hooks";
import type { ApiClient } from "../browser/api-client.ts";
import { type LoadState, useLoad } from "../browser/use-load.ts";
import { PACE_MS, PAGE_SIZE } from "./portfolio-loader.ts";

/** The pages of a list that have been read so far, and its first page with the totals. */
export type PagedList<P, T> = { rows: T[]; first: P; total: number };

/** The number of pages read without a pause. Further ones are paced, to leave some of the rate limit to other clients. */
const UNPACED_CALLS = 5;

export function usePagedList<K extends string, T, P extends Record<K, T[]> & { total: number }>(
  api: ApiClient,
  path: string,
  key: K,
): LoadState<PagedList<P, T>> & {
  more: () => void;
  /** Reads the whole list. Rejects with an ApiFailure. */
  all: (onProgress: (loaded: number) => void) => Promise<T[]>;
} {
  const [wanted, setWanted] = useState({ path, pages: 1 });
  const pages = wanted.path === path ? wanted.pages : 1;
  const loaded = useLoad(path, async () => await readPages<K, T, P>(api, path, key, pages));
  const { reload: again } = loaded;
  const more = useCallback(() => {
    setWanted({ path, pages: pages + 1 });
    again();
  }, [path, pages, again]);
  const all = useCallback(
    async (onProgress: (loaded: number) => void) =>
      (await readPages<K, T, P>(api, path, key, Number.POSITIVE_INFINITY, onProgress)).rows,
    [api, path, key],
  );
  return { ...loaded, more, all };
}

/** Reads pages; those that the client still has take no call. */
async function readPages<K extends string, T, P extends Record<K, T[]> & { total: number }>(
  api: ApiClient,
  path: string,
  key: K,
  pages: number,
  onProgress: (loaded: number) => void = () => {},
): Promise<PagedList<P, T>> {
  const rows: T[] = [];
  let first: P | undefined;
  let calls = 0;
  for (let page = 0; page < pages; page++) {
    const at = `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE_SIZE}&offset=${page * PAGE_SIZE}`;
    const isKnown = api.cached(at) !== undefined;
    if (!isKnown && ++calls > UNPACED_CALLS) await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    const read = await api.read<P>(at);
    first ??= read;
    rows.push(...read[key]);
    onProgress(rows.length);
    if (read[key].length < PAGE_SIZE || rows.length >= read.total) break;
  }
  return { rows, first: first!, total: first!.total };
}
