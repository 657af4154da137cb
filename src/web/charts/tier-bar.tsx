import { scaleLinear } from "d3-scale";
import { percentLength } from "./bar.tsx";

/** The numbers of critical and of warning components, stacked, on a track that ends at `max`. */
export function TierBarChart({ critical, warning, max }: { critical: number; warning: number; max: number }) {
  const x = scaleLinear([0, Math.max(max, 1)], [0, 1]).clamp(true);
  return (
    <svg class="bar tiers" width="100%" height="8" aria-hidden="true">
      <rect class="track" width="100%" height="8" rx="4" />
      <rect class="warning" width={percentLength(x(critical + warning))} height="8" rx="4" />
      <rect class="critical" width={percentLength(x(critical))} height="8" rx="4" />
    </svg>
  );
}
