import { joinPlace } from "../../domain/places/place.ts";
import { StateOrRegionFilter, US_STATES } from "../widgets/state-filter.tsx";
import { useApp, useAppRerenderOnChange } from "./app-context.ts";

/** A filter by the states of the loaded properties; by those of the United States until they have been loaded. */
export function AppStateFilter(props: { value: string; onChange: (state: string) => void }) {
  const { portfolio } = useApp();
  useAppRerenderOnChange(portfolio);
  const loaded = portfolio.state.loaded.map(({ item }) => joinPlace(item));
  return <StateOrRegionFilter {...props} known={loaded.length > 0 ? loaded : US_STATES} />;
}
