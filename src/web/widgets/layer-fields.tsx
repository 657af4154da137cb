import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { LOSS_LIMITS } from "../../domain/losses/loss-term-limits.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";

const LIMITS = { deductible: LOSS_LIMITS.deductibleUsd, limit: LOSS_LIMITS.limitUsd } as const;
type Amount = keyof typeof LIMITS;

/** Returns an amount in the address; empty if there is none that the API takes. */
function amountIn(route: Route, name: Amount): string {
  const typed = route.query.get(name) ?? "";
  const { least, most } = LIMITS[name];
  return /^\d+$/.test(typed) && Number(typed) >= least && Number(typed) <= most ? typed : "";
}

/** The deductible and limit in the address, as parameters of the API. */
export function insuredLayerUrlQuery(route: Route): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["deductible", "limit"] as const) {
    const amount = amountIn(route, name);
    if (amount !== "") query.set(name, amount);
  }
  return query;
}

/** Sets the deductible and limit of the insured layer. `children` stand beside the fields. */
export function InsuredLayerFields({ route, children }: { route: Route; children?: ComponentChildren }) {
  return (
    <div class="filters screen">
      <AmountField label={`Deductible (${currencyCode()})`} name="deductible" route={route} />
      <AmountField label={`Limit (${currencyCode()})`} name="limit" route={route} />
      {children}
    </div>
  );
}

function AmountField({ label, name, route }: { label: string; name: Amount; route: Route }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const amount = amountIn(route, name);
  const { least, most } = LIMITS[name];
  // The field follows the address, as after Back. A change of the other field leaves what is being typed here.
  useLayoutEffect(() => {
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
        max={most}
        step="1"
        inputMode="numeric"
        placeholder={least === 0 ? "0" : "None"}
        defaultValue={amount}
        onChange={({ currentTarget }) => {
          if (currentTarget.checkValidity()) replaceBrowserUrlQuery(route, { [name]: currentTarget.value });
        }}
      />
    </span>
  );
}
