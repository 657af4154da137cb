import { useEffect, useId, useState } from "preact/hooks";
import type { PartnerPageJson } from "../../wire/partner.ts";
import { useRead } from "./console-context.ts";

const ID = /PARTNER_[0-9a-z]{26}/;
/** How long a search waits for the next letter. */
const SETTLES_MS = 200;
const MOST_OFFERED = 20;

/** One of any number of partners, found by a part of its name; "" for none. */
export function PartnerField(props: {
  label: string;
  /** The partner's id. */
  value: string;
  onChange: (id: string) => void;
  isRequired?: boolean;
}) {
  const { label, value, onChange, isRequired = false } = props;
  const [typed, setTyped] = useState(value);
  const search = useSettled(typed);
  const query = new URLSearchParams({ limit: String(MOST_OFFERED), search: ID.exec(search)?.[0] ?? search });
  const { value: found } = useRead<PartnerPageJson>(`/admin/partners?${query}`);
  const id = useId();
  const written = (one: { partner_id: string; name: string }) => `${one.name} · ${one.partner_id}`;
  // Another address, such as by Back, is another partner; and an id is shown with its name once that is known.
  useEffect(() => {
    if ((ID.exec(typed)?.[0] ?? "") !== value) setTyped(value);
  }, [value]);
  const chosen = found?.partners.find(({ partner_id }) => partner_id === value);
  useEffect(() => {
    if (chosen && typed === value) setTyped(written(chosen));
  }, [chosen]);
  const type = (text: string) => {
    setTyped(text);
    const named = ID.exec(text)?.[0] ?? "";
    if (named !== value) onChange(named);
  };
  return (
    <span class="filter partner">
      <label for={id}>{label}</label>
      <input
        {...{
          id,
          value: typed,
          list: `${id}-found`,
          autoComplete: "off",
          spellcheck: false,
          required: isRequired,
        }}
        type="search"
        placeholder={isRequired ? "A part of its name" : "All"}
        onInput={({ currentTarget }) => {
          currentTarget.setCustomValidity(
            isRequired && !ID.test(currentTarget.value) ? "Choose one of the partners that are offered." : "",
          );
          type(currentTarget.value);
        }}
      />
      <datalist id={`${id}-found`}>
        {found?.partners.map((one) => (
          <option value={written(one)} />
        ))}
      </datalist>
    </span>
  );
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
