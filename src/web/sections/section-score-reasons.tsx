import type { ScoreReasonJson } from "../../api-schemas/score-reason-schema.ts";
import { formatPageDate } from "../page/page-format.ts";

const EFFECTS = { raises: "Raises the score", lowers: "Lowers the score", neutral: "" } as const;

/** The reasons for a score, each on a line. */
export function SectionScoreReasons({ reasons }: { reasons: readonly ScoreReasonJson[] }) {
  return (
    <ul class="reasons">
      {reasons.map(({ effect, text, date: day }) => (
        <li class={effect}>
          {EFFECTS[effect] !== "" && <span class="visually-hidden">{EFFECTS[effect]}: </span>}
          {text}
          {day !== null && <span class="muted"> ({formatPageDate(day)})</span>}
        </li>
      ))}
    </ul>
  );
}
