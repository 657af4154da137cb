import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { PortfolioTotalsJson } from "../../api-schemas/portfolio-schema.ts";
import type { ApplianceNames } from "../page/page-appliance-names.ts";
import { HAZARD_ACTION_LABELS, HAZARD_BASIS_LABELS } from "../page/page-code-labels.ts";
import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink } from "./section.tsx";

type Flag = ComponentJson["flags"][number];
/** A hazard with one component of each appliance that has it, to name the places. */
type HazardGroup = { flag: Flag; appliances: ComponentJson[] };

const CHIPS = { immediate_hazard: "overdue", inspect: "due_soon", monitor: "upcoming" } as const;
const URGENCY = Object.keys(CHIPS);

/** Groups the known hazards of components by appliance, those that require action at once first. */
export function pageSectionHazardGroups(components: readonly ComponentJson[]): HazardGroup[] {
  const groups = new Map<string, HazardGroup>();
  const seen = new Set<string>();
  for (const component of components) {
    for (const flag of component.flags) {
      const ofAppliance = `${component.appliance_id} ${flag.code}`;
      if (seen.has(ofAppliance)) continue;
      seen.add(ofAppliance);
      const key = `${flag.code} ${flag.basis}`;
      const group = groups.get(key);
      if (group) group.appliances.push(component);
      else groups.set(key, { flag, appliances: [component] });
    }
  }
  return [...groups.values()].sort((a, b) => URGENCY.indexOf(a.flag.action) - URGENCY.indexOf(b.flag.action));
}

/** The known hazards of a property's appliances, whatever their scores. */
export function KnownHazardsSection(props: {
  groups: readonly HazardGroup[];
  applianceNames: ApplianceNames;
  csv?: SectionCsvLink;
}) {
  const { groups, applianceNames, csv } = props;
  return (
    <ReportSection id="hazards" title="Known hazards" about={summaryOf(groups)}>
      <ul class="inspections">
        {groups.map(({ flag, appliances }) => (
          <li>
            <span class={`chip ${CHIPS[flag.action]}`}>{HAZARD_ACTION_LABELS[flag.action]}</span>
            <span>
              {flag.label}
              <span class="small muted">
                {applianceNames.ofGroup(appliances)}. {flag.authority}
              </span>
            </span>
            <span class="due">{formatPageCount(appliances.length, "appliance")}</span>
          </li>
        ))}
      </ul>
      <CollapsedSectionTable
        caption="Known hazards"
        csv={csv}
        rows={groups}
        columns={[
          { heading: "Hazard", cell: ({ flag }) => flag.label },
          { heading: "Location", cell: ({ appliances }) => applianceNames.ofGroup(appliances) },
          {
            heading: "Appliances",
            isNumber: true,
            cell: ({ appliances }) => formatPageWholeNumber(appliances.length),
          },
          { heading: "What to do", cell: ({ flag }) => HAZARD_ACTION_LABELS[flag.action] },
          { heading: "Known from", cell: ({ flag }) => HAZARD_BASIS_LABELS[flag.basis] },
          { heading: "Authority", cell: ({ flag }) => flag.authority },
        ]}
      />
    </ReportSection>
  );
}

/** Returns the number of hazards that require action at once, each of an appliance. */
export const pageSectionUrgentHazardCount = (groups: readonly HazardGroup[]): number =>
  groups
    .filter(({ flag }) => flag.action === "immediate_hazard")
    .reduce((sum, { appliances }) => sum + appliances.length, 0);

/** Returns the number in the sums of a portfolio. A suspicion never requires action at once. */
export const pageSectionUrgentHazardsOfPortfolio = (flags: PortfolioTotalsJson["flags"]): number =>
  flags
    .filter(({ action }) => action === "immediate_hazard")
    .reduce((sum, { appliances }) => sum + appliances, 0);

function summaryOf(groups: readonly HazardGroup[]): string {
  const urgent = groups.filter(({ flag }) => flag.action === "immediate_hazard");
  const appliances = new Set(
    urgent.flatMap(({ appliances }) => appliances.map(({ appliance_id }) => appliance_id)),
  ).size;
  const beside = "A flag changes no score: an appliance with a known hazard is not always likely to fail.";
  if (appliances === 0) return `None requires action at once. ${beside}`;
  return `${formatPageCount(appliances, "appliance")} must be replaced at once. ${beside}`;
}
