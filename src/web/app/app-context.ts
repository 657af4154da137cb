import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { pageRecordApplianceTypes } from "../records/page-records-context.ts";
import type { AppRejects } from "./app-import-rejects.ts";
import type { AppPortfolioLoader } from "./app-portfolio-loader.ts";

/** The dependencies that all pages of a session share. */
export type AppServices = {
  api: ApiClient;
  portfolio: AppPortfolioLoader;
  signOut: () => void;
  /** Sets what the sign-in page offers for download if the credentials are refused. */
  keepAtSignOut: (rejects: AppRejects | undefined) => void;
};

export const AppContext = createContext<AppServices | undefined>(undefined);
export const useApp = () => useContext(AppContext)!;

/** Renders again whenever the object reports a change. */
export function useAppRerenderOnChange(watched: { onChange(listener: () => void): () => void }): void {
  const [, setVersion] = useState(0);
  // An effect would subscribe only after the next frame, and miss a change before it.
  useLayoutEffect(() => watched.onChange(() => setVersion((version) => version + 1)), [watched]);
}

/** Sets the title of the document. */
export function useAppTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mainstay`;
  }, [title]);
}

export const readAppApplianceTypes = (api: ApiClient) => pageRecordApplianceTypes(api, "/v1/appliance-types");
