import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { TIER_LABELS } from "../page/page-code-labels.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";

const SHAPES = {
  CRITICAL: <path d="M6 .8 11.6 11H.4z" />,
  WARNING: <path d="M6 .4 11.6 6 6 11.6.4 6z" />,
  GOOD: <circle cx="6" cy="6" r="4.4" />,
};

/** The symbol of a tier: a shape as well as a color. `named` gives it a label, where no text beside it names the tier. */
export function TierMark({ tier, named = false }: { tier: RiskTier; named?: boolean }) {
  const name = TIER_LABELS[tier].name;
  return (
    <svg
      class={`tier-mark ${tier.toLowerCase()}`}
      viewBox="0 0 12 12"
      {...(named ? { role: "img", "aria-label": name } : { "aria-hidden": "true" })}
    >
      {SHAPES[tier]}
    </svg>
  );
}

/** The number of components in a tier, muted if zero. */
export function TierCount({ tier, of }: { tier: RiskTier; of: number }) {
  if (of === 0) return <span class="muted">0</span>;
  return (
    <>
      <TierMark tier={tier} /> {formatPageWholeNumber(of)}
    </>
  );
}
