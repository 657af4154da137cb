import type { AssumptionsJson } from "../../wire/assumptions.ts";
import { assumptionSentences } from "../assumption-sentences.ts";
import { Section } from "./section.tsx";

/** The basis of the figures of a page. */
export function AssumptionList({ assumptions }: { assumptions: AssumptionsJson }) {
  return (
    <Section id="assumptions" title="What these figures rest on">
      <p class="small muted">{assumptionSentences(assumptions).join(" ")}</p>
    </Section>
  );
}
