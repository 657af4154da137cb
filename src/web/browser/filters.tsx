import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

/** The row above a list, by which it is narrowed. */
export function Filters({ children }: { children: ComponentChildren }) {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

/** One of several values, or all of them. */
export function Choice(props: {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, words: string])[];
  /** How all of them are called. */
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
        {choices.map(([one, words]) => (
          <option value={one}>{words}</option>
        ))}
      </select>
    </span>
  );
}

/** How long the address waits for the next letter: browsers refuse one that changes with every key. */
const SETTLES_MS = 120;

/** A search as it is typed. */
export function Search(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { label, value, onChange } = props;
  const id = useId();
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    // Another address, such as by Back, is another search.
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  const tell = () => {
    if (typed === told.current) return;
    told.current = typed;
    onChange(typed);
  };
  // Told once what is typed has settled.
  useEffect(() => {
    const timer = setTimeout(tell, SETTLES_MS);
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
        onBlur={tell}
      />
    </span>
  );
}
