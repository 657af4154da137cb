import { SelectFilter } from "./filters.tsx";

export const US_STATES: readonly string[] =
  "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY".split(
    " ",
  );

/** A filter by state or region. `known`: the places to offer, in any order. */
export function StateOrRegionFilter(props: {
  known: readonly string[];
  value: string;
  onChange: (state: string) => void;
}) {
  const { known, value, onChange } = props;
  const states = [...new Set([...known, value])].filter(Boolean).sort();
  return (
    <SelectFilter
      label="State or region"
      value={value}
      choices={states.map((state) => [state, state])}
      onChange={onChange}
    />
  );
}
