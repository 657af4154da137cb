import { useEffect, useState } from "preact/hooks";

/** The route of a page, in the fragment of the address: it can be bookmarked and shared, and is never sent to a server. */
export type Place = {
  /** `["properties", "P_…"]` of `#/properties/P_…?tab=photos` */
  parts: readonly string[];
  query: URLSearchParams;
};

export function placeOf(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(search) };
}

/** The address of a route, for a link. Empty values are omitted. */
export function addressOf(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

/** Returns the current route, and rerenders when it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const changed = () => setPlace(placeOf(location.hash));
    addEventListener("hashchange", changed);
    addEventListener(REPLACED, changed);
    return () => {
      removeEventListener("hashchange", changed);
      removeEventListener(REPLACED, changed);
    };
  }, []);
  return place;
}

/**
 * Changes parameters of the query without adding to the history. The others are read from the address, not from `place`:
 * two changes may come before the page is rendered again.
 */
export function replaceQuery({ parts }: Place, changes: Readonly<Record<string, string>>): void {
  const query = { ...Object.fromEntries(placeOf(location.hash).query), ...changes };
  history.replaceState(null, "", addressOf(parts, query));
  dispatchEvent(new Event(REPLACED));
}
const REPLACED = "place-replaced";

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
