import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

/** The row of filters above a list. */
export function FilterRow({ children }: { children: ComponentChildren }) {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

/** A filter by one of several values. */
export function SelectFilter(props: {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, label: string])[];
  /** The label of the option that matches all values. */
  all?: string;
  onChange: (value: string) => void;
}) {
  const { label, value, choices, all = "All", onChange } = props;
  const id = useId();
  return (
    <span class="filter">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {choices.map(([choice, choiceLabel]) => (
          <option value={choice}>{choiceLabel}</option>
        ))}
      </select>
    </span>
  );
}

/** The delay between typing and a change of the address: browsers limit how often it may change. */
const DEBOUNCE_MS = 120;

/** A search field, applied while the reader types. */
export function SearchFilter(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { label, value, onChange } = props;
  const id = useId();
  const [typed, setTyped] = useState(value);
  const reported = useRef(value);
  // An effect would undo typing before the next frame.
  useLayoutEffect(() => {
    // The address can change without typing, such as by Back.
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value);
  }, [value]);
  const commit = () => {
    if (typed === reported.current) return;
    reported.current = typed;
    onChange(typed);
  };
  useEffect(() => {
    const timer = setTimeout(commit, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <span class="filter search">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
      />
    </span>
  );
}

export const RETIRED_CHOICES = "retired";

/** The filter between what is in service and what is retired. */
export function RetiredFilter({ value, onChange }: { value: string; onChange: (status: string) => void }) {
  return (
    <SelectFilter
      label="Status"
      value={value}
      all="In service"
      choices={[[RETIRED_CHOICES, "Retired"]]}
      onChange={onChange}
    />
  );
}
