import { useLayoutEffect, useState } from "preact/hooks";

/** The route of a page, in the fragment of the address: it can be bookmarked and shared, and is never sent to a server. */
export type Route = {
  /** `["properties", "P_…"]` of `#/properties/P_…?tab=photos` */
  segments: readonly string[];
  query: URLSearchParams;
};

function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  return { segments: path.split("/").filter(Boolean).map(decodeSegment), query: new URLSearchParams(search) };
}

/** The address of a route, for a link. Empty values are omitted. */
export function hrefTo(segments: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${segments.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

/** Returns the current route, and rerenders when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  // An effect would subscribe only after the next frame, and miss a change before it.
  useLayoutEffect(() => {
    const onChange = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", onChange);
    addEventListener(ROUTE_REPLACED, onChange);
    return () => {
      removeEventListener("hashchange", onChange);
      removeEventListener(ROUTE_REPLACED, onChange);
    };
  }, []);
  return route;
}

/**
 * Changes parameters of the query without adding to the history. The others are read from the address, not from `route`:
 * two changes may come before the page is rendered again.
 */
export function replaceBrowserUrlQuery({ segments }: Route, changes: Readonly<Record<string, string>>): void {
  const query = { ...Object.fromEntries(parseRoute(location.hash).query), ...changes };
  history.replaceState(null, "", hrefTo(segments, query));
  dispatchEvent(new Event(ROUTE_REPLACED));
}
const ROUTE_REPLACED = "route-replaced";

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
