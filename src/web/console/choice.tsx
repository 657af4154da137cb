import { useId } from "preact/hooks";

/** One of several values, or all of them. */
export function Choice(props: {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, words: string])[];
  onChange: (value: string) => void;
}) {
  const { label, value, choices, onChange } = props;
  const id = useId();
  return (
    <span class="filter">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">All</option>
        {choices.map(([one, words]) => (
          <option value={one}>{words}</option>
        ))}
      </select>
    </span>
  );
}
