import { scaleLinear } from "d3-scale";

/** A share of 1 as a length in percent, rounded to what a screen can show. */
export const percentLength = (share: number) => `${Number((share * 100).toFixed(2))}%`;

/** A bar from 0 to `value` on a track that ends at `max`. Hidden from assistive technology: its value is in the text beside it. */
export function ValueBarChart({ value, max, kind = "" }: { value: number; max: number; kind?: string }) {
  const share = scaleLinear([0, Math.max(max, Number.MIN_VALUE)], [0, 1]).clamp(true)(value);
  return (
    <svg class={`bar ${kind}`} width="100%" height="8" aria-hidden="true">
      <rect class="track" width="100%" height="8" rx="4" />
      {share > 0 && <rect class="fill" width={percentLength(share)} height="8" rx="4" />}
    </svg>
  );
}
