import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { ApplianceTypeJson } from "../../wire/appliance.ts";
import type { ApiClient } from "../browser/api-client.ts";
import type { PortfolioLoader } from "./portfolio-loader.ts";

/** The dependencies that all pages of a session share. */
export type AppServices = { api: ApiClient; portfolio: PortfolioLoader; signOut: () => void };

export const AppContext = createContext<AppServices | undefined>(undefined);
export const useApp = () => useContext(AppContext)!;

/** Renders again whenever the object reports a change. */
export function useChanges(watched: { onChange(listener: () => void): () => void }): void {
  const [, setVersion] = useState(0);
  useEffect(() => watched.onChange(() => setVersion((version) => version + 1)), [watched]);
}

/** Sets the title of the document. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mainstay`;
  }, [title]);
}

/** Reads a whole list, with one call per page of 200 records. */
export async function readAll<K extends string, T>(api: ApiClient, path: string, key: K): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const address = `${path}${path.includes("?") ? "&" : "?"}limit=200&offset=${all.length}`;
    const page = await api.read<Record<K, T[]> & { total: number }>(address);
    all.push(...page[key]);
    if (page[key].length === 0 || all.length >= page.total) return all;
  }
}

export const readApplianceTypes = (api: ApiClient) =>
  readAll<"appliance_types", ApplianceTypeJson>(api, "/v1/appliance-types", "appliance_types");
