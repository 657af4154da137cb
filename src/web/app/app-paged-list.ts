import { useCallback, useState } from "preact/hooks";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { type LoadState, useLoad } from "../browser/use-load.ts";
import { PAGE_INTERVAL_MS, PAGE_SIZE } from "./app-portfolio-loader.ts";

/** The pages of a list that have been read so far, and its first page with the totals. */
type PagedList<P, T> = { rows: T[]; first: P; total: number };

/** The number of pages read without a pause. Further ones are paced, to leave some of the rate limit to other clients. */
export const UNPACED_CALLS = 5;

/** Reads a list page by page. */
export function useAppPagedList<T, P extends { total: number }>(
  api: ApiClient,
  path: string,
  rowsOf: (page: P) => readonly T[],
): LoadState<PagedList<P, T>> & {
  /** Reads one more page. */
  loadMore: () => void;
} {
  const [requested, setRequested] = useState({ path, pages: 1 });
  const pages = requested.path === path ? requested.pages : 1;
  const loaded = useLoad(path, async () => await readPages(api, path, rowsOf, pages));
  const { reload } = loaded;
  const loadMore = useCallback(() => {
    setRequested({ path, pages: pages + 1 });
    reload();
  }, [path, pages, reload]);
  return { ...loaded, loadMore };
}

/** Reads pages; those that the client still has take no call. */
async function readPages<T, P extends { total: number }>(
  api: ApiClient,
  path: string,
  rowsOf: (page: P) => readonly T[],
  pages: number,
): Promise<PagedList<P, T>> {
  const rows: T[] = [];
  let first: P | undefined;
  let calls = 0;
  for (let page = 0; page < pages; page++) {
    const address = `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE_SIZE}&offset=${page * PAGE_SIZE}`;
    const isCached = api.cached(address) !== undefined;
    if (!isCached && ++calls > UNPACED_CALLS)
      await new Promise((resolve) => setTimeout(resolve, PAGE_INTERVAL_MS));
    const read = await api.read<P>(address);
    first ??= read;
    const found = rowsOf(read);
    rows.push(...found);
    if (found.length < PAGE_SIZE || rows.length >= read.total) break;
  }
  return { rows, first: first!, total: first!.total };
}
