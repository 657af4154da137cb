import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { currencyCode } from "../../domain/display.ts";
import { type Route, replaceQuery } from "./route.ts";

/** The deductible and limit in the address, as parameters of the API. */
export function layerQuery(route: Route): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["deductible", "limit"]) {
    const typed = route.query.get(name) ?? "";
    if (/^\d{1,9}$/.test(typed) && (name === "deductible" || Number(typed) > 0)) query.set(name, typed);
  }
  return query;
}

/** Sets the deductible and limit of the insured layer. `children` stand beside the fields. */
export function LayerFields({ route, children }: { route: Route; children?: ComponentChildren }) {
  return (
    <div class="filters screen">
      <AmountField label={`Deductible (${currencyCode()})`} name="deductible" least={0} route={route} />
      <AmountField label={`Limit (${currencyCode()})`} name="limit" least={1} route={route} />
      {children}
    </div>
  );
}

function AmountField(props: { label: string; name: string; least: number; route: Route }) {
  const { label, name, least, route } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const amount = route.query.get(name) ?? "";
  // The field follows the address, as after Back. A change of the other field leaves what is being typed here.
  useEffect(() => {
    if (input.current!.value !== amount) input.current!.value = amount;
  }, [amount]);
  return (
    <span class="filter">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="number"
        min={least}
        step="1"
        inputMode="numeric"
        placeholder={least === 0 ? "0" : "None"}
        defaultValue={amount}
        onChange={({ currentTarget }) => {
          if (currentTarget.checkValidity()) replaceQuery(route, { [name]: currentTarget.value });
        }}
      />
    </span>
  );
}
