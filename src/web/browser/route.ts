import { useEffect, useState } from "preact/hooks";

/** The route of a page, in the fragment of the address: it can be bookmarked and shared, and is never sent to a server. */
export type Route = {
  /** `["properties", "P_…"]` of `#/properties/P_…?tab=photos` */
  segments: readonly string[];
  query: URLSearchParams;
};

export function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  return { segments: path.split("/").filter(Boolean).map(decodeSegment), query: new URLSearchParams(search) };
}

/** The address of a route, for a link. Empty values are omitted. */
export function hrefTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

/** Returns the current route, and rerenders when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", changed);
    addEventListener(ROUTE_REPLACED, changed);
    return () => {
      removeEventListener("hashchange", changed);
      removeEventListener(ROUTE_REPLACED, changed);
    };
  }, []);
  return route;
}

/**
 * Changes parameters of the query without adding to the history. The others are read from the address, not from `route`:
 * two changes may come before the page is rendered again.
 */
export function replaceQuery({ segments: parts }: Route, changes: Readonly<Record<string, string>>): void {
  const query = { ...Object.fromEntries(parseRoute(location.hash).query), ...changes };
  history.replaceState(null, "", hrefTo(parts, query));
  dispatchEvent(new Event(ROUTE_REPLACED));
}
const ROUTE_REPLACED = "place-replaced";

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
