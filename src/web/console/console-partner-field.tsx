import { useEffect, useId, useLayoutEffect, useState } from "preact/hooks";
import type { PartnerPageJson } from "../../api-schemas/partner-schema.ts";
import { useAdminRead } from "./console-context.ts";

const ID = /PARTNER_[0-9a-z]{26}/;
/** The pause in typing after which a search starts. */
const SEARCH_DELAY_MS = 200;
const MAX_OPTIONS = 20;

/** Selects a partner by a part of its name. Its value is the partner's ID, or "" while none is selected. */
export function ConsolePartnerField(props: {
  label: string;
  value: string;
  onChange: (id: string) => void;
  isRequired?: boolean;
}) {
  const { label, value, onChange, isRequired = false } = props;
  const [typed, setTyped] = useState(value);
  const search = useDebounced(typed);
  const query = new URLSearchParams({ limit: String(MAX_OPTIONS), search: ID.exec(search)?.[0] ?? search });
  const { value: found } = useAdminRead<PartnerPageJson>(`/admin/partners?${query}`);
  const id = useId();
  const optionOf = (partner: { partner_id: string; name: string }) =>
    `${partner.name} · ${partner.partner_id}`;
  // The address can change the partner, as with the Back button; an ID is shown with its name once that is loaded.
  // Effects would undo typing before the next frame.
  useLayoutEffect(() => {
    if ((ID.exec(typed)?.[0] ?? "") !== value) setTyped(value);
  }, [value]);
  const chosen = found?.partners.find(({ partner_id }) => partner_id === value);
  useLayoutEffect(() => {
    if (chosen && typed === value) setTyped(optionOf(chosen));
  }, [chosen]);
  const type = (text: string) => {
    setTyped(text);
    const selected = ID.exec(text)?.[0] ?? "";
    if (selected !== value) onChange(selected);
  };
  return (
    <span class="filter partner">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={typed}
        list={`${id}-found`}
        autoComplete="off"
        spellcheck={false}
        required={isRequired}
        type="search"
        placeholder={isRequired ? "Search by name" : "All"}
        onInput={({ currentTarget }) => {
          currentTarget.setCustomValidity(
            isRequired && !ID.test(currentTarget.value) ? "Select a partner from the list." : "",
          );
          type(currentTarget.value);
        }}
      />
      <datalist id={`${id}-found`}>
        {found?.partners.map((partner) => (
          <option value={optionOf(partner)} />
        ))}
      </datalist>
    </span>
  );
}

function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
