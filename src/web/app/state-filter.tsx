import { joinPlace } from "../../domain/place.ts";
import { StateFilter, US_STATES } from "../browser/state-filter.tsx";
import { useApp, useChanges } from "./app-context.ts";

/** A filter by the states of the loaded properties; by those of the United States until they have been loaded. */
export function PortfolioStateFilter(props: { value: string; onChange: (state: string) => void }) {
  const { portfolio } = useApp();
  useChanges(portfolio);
  const loaded = portfolio.state.loaded.map(({ item }) => joinPlace(item));
  return <StateFilter {...props} known={loaded.length > 0 ? loaded : US_STATES} />;
}
