import { useId, useMemo, useState } from "preact/hooks";
import type { Route } from "../browser/browser-route.ts";
import { SelectFilter } from "../widgets/filters.tsx";

const HOUR_MS = 3_600_000;
const PERIODS: Readonly<Record<string, { name: string; ms: number }>> = {
  "1h": { name: "Last hour", ms: HOUR_MS },
  "24h": { name: "Last 24 hours", ms: 24 * HOUR_MS },
  "7d": { name: "Last 7 days", ms: 7 * 24 * HOUR_MS },
  "30d": { name: "Last 30 days", ms: 30 * 24 * HOUR_MS },
};
const CUSTOM = "custom";

/** The parameters in the address of a page with a period. */
const PERIOD_PARAMETERS = ["period", "since", "until"] as const;

type Bounds = { since?: string; until?: string };

/** Returns the bounds of the period of a page, as parameters of a list, and what moves a period that ends now to the present. */
export function useConsolePeriodBounds({ query }: Route): { bounds: Bounds; moveToNow: () => void } {
  const [moves, setMoves] = useState(0);
  const [period, since, until] = PERIOD_PARAMETERS.map((name) => query.get(name) ?? "");
  const bounds = useMemo(() => {
    const preset = PERIODS[period!];
    // In whole minutes, as the fields have it.
    if (preset) return { since: `${new Date(Date.now() - preset.ms).toISOString().slice(0, 16)}:00Z` };
    return { ...(since && { since }), ...(until && { until }) };
  }, [period, since, until, moves]);
  return { bounds, moveToNow: () => setMoves((before) => before + 1) };
}

/** Selects a period that ends now, or one by its bounds. */
export function ConsolePeriodFilter(props: {
  route: Route;
  onChange: (changes: Record<string, string>) => void;
}) {
  const { route, onChange } = props;
  const of = (name: string) => route.query.get(name) ?? "";
  const isCustom = of("period") === CUSTOM || of("since") !== "" || of("until") !== "";
  return (
    <>
      <SelectFilter
        label="Period"
        value={isCustom ? CUSTOM : of("period")}
        all="All"
        choices={[
          ...Object.entries(PERIODS).map(([key, { name }]) => [key, name] as const),
          [CUSTOM, "Custom"],
        ]}
        onChange={(period) => onChange({ period, since: "", until: "" })}
      />
      {isCustom && (
        <>
          <InstantField
            label="From (UTC)"
            value={of("since")}
            onChange={(since) => onChange({ since, period: CUSTOM })}
          />
          <InstantField
            label="Until (UTC)"
            value={of("until")}
            onChange={(until) => onChange({ until, period: CUSTOM })}
          />
        </>
      )}
    </>
  );
}

/** Selects a UTC time to the minute. Its value is an ISO 8601 instant, or "" while none is selected. */
function InstantField(props: { label: string; value: string; onChange: (instant: string) => void }) {
  const { label, value, onChange } = props;
  const id = useId();
  return (
    <span class="filter moment">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={value.slice(0, 16)}
        onChange={({ currentTarget }) => onChange(currentTarget.value && `${currentTarget.value}:00Z`)}
      />
    </span>
  );
}
