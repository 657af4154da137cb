import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import type { ApplianceTypeJson } from "../../api-schemas/appliance-schema.ts";
import { type ApiReader, readWholeListInBrowser } from "../browser/browser-list-reader.ts";

/** A record as administrators see it names its partner. */
export type PartnerOwned = { partner_id?: string };

/**
 * The access to records that the portfolio app and the console share. Paths are those of the API without `/v1`, such as
 * `/appliances/A_…`. Each rejects with an ApiFailure.
 */
export type RecordsApi = ApiReader & {
  /** Reads the JSON of a path as it is now, without a cache. */
  readNow<T>(path: string): Promise<T>;
  write<T>(method: "POST" | "PUT", path: string, body: unknown): Promise<T>;
  /** Returns the path of the properties with these words, of the partner that owns the record. */
  propertiesPath(words: string, owner: PartnerOwned): string;
  /** Called after a change that moves sums of other pages. */
  onChanged(): void;
  /** The list of properties that records lead back to. */
  home: readonly [name: string, address: string];
  /** The name of the site in the title of the document. */
  siteName: string;
  /**
   * Returns a function that returns the number of calls that an act takes, in words, if calls are limited and the number
   * matters. A hook, since that changes with the calls that are left.
   */
  useApiCallCost(): (calls: number) => string | undefined;
};

export const RecordsContext = createContext<RecordsApi | undefined>(undefined);
export const useRecordsApi = () => useContext(RecordsContext)!;

/** Sets the title of the document. */
export function useRecordTitle(title: string): void {
  const { siteName } = useRecordsApi();
  useEffect(() => {
    document.title = `${title} · ${siteName}`;
  }, [title, siteName]);
}

export const pageRecordApplianceTypes = (reader: ApiReader, path = "/appliance-types") =>
  readWholeListInBrowser<"appliance_types", ApplianceTypeJson>(reader, path, "appliance_types");

/** Returns the path of a record. */
export const recordPath = (kind: string, id: string) => `/${kind}/${encodeURIComponent(id)}`;
