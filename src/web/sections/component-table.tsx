import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { ApplianceNames } from "../page/page-appliance-names.ts";
import { TIER_LABELS } from "../page/page-code-labels.ts";
import { pageExpectedLossUsd } from "../page/page-expected-loss.ts";
import { formatPageMoney, pageFailureWindowText } from "../page/page-format.ts";
import { TierMark } from "../widgets/tier-mark.tsx";
import type { SectionTableColumn } from "./section.tsx";
import { SectionComponentName } from "./section-component-name.tsx";

/** The columns of every table of components. */
export function pageSectionComponentColumns(
  applianceNames: ApplianceNames,
): SectionTableColumn<ComponentJson>[] {
  return [
    {
      heading: "Component",
      cell: (one) => (
        <>
          <TierMark tier={one.risk_tier} /> <SectionComponentName component={one} />
        </>
      ),
    },
    { heading: "Location", cell: (one) => applianceNames.of(one) },
    { heading: "Tier", cell: (one) => TIER_LABELS[one.risk_tier].name },
    { heading: "Installed", isNumber: true, cell: (one) => one.install_year },
    { heading: "Risk score", isNumber: true, cell: (one) => one.risk_score.toFixed(2) },
    {
      heading: "12-month failure probability",
      isNumber: true,
      cell: (one) => `${(one.failure_probability_12m * 100).toFixed(1)}%`,
    },
    {
      heading: "Likely failure (80%)",
      cell: (one) => <span class="nowrap">{pageFailureWindowText(one.failure_window_80)}</span>,
    },
    { heading: "Planned cost", isNumber: true, cell: (one) => formatPageMoney(one.proactive_cost) },
    { heading: "Cost after failure", isNumber: true, cell: (one) => formatPageMoney(one.reactive_cost) },
    {
      heading: "12-month expected loss",
      isNumber: true,
      cell: (one) => formatPageMoney(Math.round(pageExpectedLossUsd(one))),
    },
  ];
}
