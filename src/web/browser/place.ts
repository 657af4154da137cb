import { useEffect, useState } from "preact/hooks";

/**
 * Where the reader is, in the part of the address behind the `#`: it can be bookmarked and shared, Back works, and no
 * server ever sees it.
 */
export type Place = {
  /** `["properties", "P_…"]` of `#/properties/P_…?tab=photos` */
  parts: readonly string[];
  query: URLSearchParams;
};

export function placeOf(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(search) };
}

/** The address of a place, for a link. Empty values are left out. */
export function addressOf(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

/** The place that the address names now, and whenever that changes. */
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
 * Puts other filters into the address, without a step that Back would have to go through. The others stay as they are
 * by now: two may change before the page that had them is drawn anew.
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
