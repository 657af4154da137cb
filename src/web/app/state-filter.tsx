import { joinPlace } from "../../domain/place.ts";
import { SelectFilter } from "../browser/filters.tsx";
import { useApp, useChanges } from "./app-context.ts";

/** Offered until the states of the portfolio have been loaded. */
const US_STATES =
  "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY".split(
    " ",
  );

/** A filter by the states of the loaded properties. */
export function StateFilter({ value, onChange }: { value: string; onChange: (state: string) => void }) {
  const { portfolio } = useApp();
  useChanges(portfolio);
  const states = [...new Set([...portfolio.state.loaded.map(({ item }) => joinPlace(item)), value])]
    .filter(Boolean)
    .sort();
  return (
    <SelectFilter
      label="State or region"
      value={value}
      choices={(states.length > 0 ? states : US_STATES).map((state) => [state, state])}
      onChange={onChange}
    />
  );
}
