import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { ScoreReasonJson } from "../../api-schemas/score-reason-schema.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { forEachInSteps, type Steps } from "../../domain/steps/computation-steps.ts";
import { probabilityText } from "../../domain/wording/us-english-wording.ts";
import type { ApplianceNames } from "../page/page-appliance-names.ts";
import { pageSystemLabel, TIER_LABELS, TIERS } from "../page/page-code-labels.ts";
import { pageExpectedLossUsd } from "../page/page-expected-loss.ts";
import { formatPageCount, formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { groupPageRows } from "../page/page-grouping.ts";
import { PageTierCosts, type PageUnitPrices } from "../page/page-tier-costs.ts";
import { TierMark } from "../widgets/tier-mark.tsx";
import { pageSectionComponentColumns } from "./component-table.tsx";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink } from "./section.tsx";
import { SectionComponentName } from "./section-component-name.tsx";
import { SectionScoreReasons } from "./section-score-reasons.tsx";

/** The most symbols drawn for one system; with more components, a symbol stands for several of one tier. */
const MAX_SYMBOLS = 160;

/** A building system with its components by tier, and the costs of its critical and warning ones. */
type SystemRow = {
  system: string;
  /** Highest score first, if each has a symbol of its own. */
  components: readonly ComponentJson[];
  tiers: Readonly<Record<RiskTier, number>>;
  plannedUsd: number;
  afterFailureUsd: number;
};

/** The building systems, with a symbol per component that shows its tier. */
export function RiskHeatMapSection(props: {
  systems: readonly SystemRow[];
  /** The critical and warning components, highest expected loss first. */
  elevated: readonly ComponentJson[];
  /** The reasons for the scores of some of them, by component. */
  reasons?: ReadonlyMap<string, readonly ScoreReasonJson[]> | undefined;
  applianceNames: ApplianceNames;
  csv?: SectionCsvLink;
  /** The address of a page with all components. */
  all?: string | undefined;
}) {
  const { systems: rows, elevated, reasons, applianceNames, csv, all } = props;
  return (
    <ReportSection
      id="systems"
      title="Risk by building system"
      about={
        <>
          Each symbol is one component:{" "}
          {TIERS.map((tier) => (
            <span class="legend">
              <TierMark tier={tier} /> {TIER_LABELS[tier].name}
            </span>
          ))}
        </>
      }
    >
      <ul class="systems">
        {rows.map((row) => (
          <li>
            <h3>{pageSystemLabel(row.system)}</h3>
            <p class="counts">
              {TIERS.map((tier) => (
                <span class={row.tiers[tier] === 0 ? "none" : undefined}>
                  <TierMark tier={tier} />
                  {formatPageWholeNumber(row.tiers[tier])}
                  <span class="visually-hidden"> {TIER_LABELS[tier].name} </span>
                </span>
              ))}
            </p>
            <p class="marks" aria-hidden="true">
              <Symbols row={row} applianceNames={applianceNames} />
            </p>
          </li>
        ))}
      </ul>
      <CollapsedSectionTable
        caption="Risk by building system"
        csv={csv}
        rows={rows}
        columns={[
          { heading: "System", cell: ({ system }) => pageSystemLabel(system) },
          ...TIERS.map((tier) => ({
            heading: TIER_LABELS[tier].name,
            isNumber: true,
            cell: ({ tiers }: SystemRow) => formatPageWholeNumber(tiers[tier]),
          })),
          { heading: "Planned cost", isNumber: true, cell: ({ plannedUsd }) => formatPageMoney(plannedUsd) },
          {
            heading: "Cost after failure",
            isNumber: true,
            cell: ({ afterFailureUsd }) => formatPageMoney(afterFailureUsd),
          },
        ]}
        note="Costs are for critical and warning components, and of an appliance that is replaced as a whole for one replacement at most."
      />
      {reasons && reasons.size > 0 && (
        <Explained
          components={elevated.filter(({ component_id }) => reasons.has(component_id))}
          reasons={reasons}
          applianceNames={applianceNames}
        />
      )}
      {elevated.length > 0 && (
        <CollapsedSectionTable
          summary={`View ${formatPageCount(elevated.length, "critical or warning component", "critical and warning components")} as table`}
          csv={csv}
          all={all}
          rows={elevated}
          columns={pageSectionComponentColumns(applianceNames)}
          note="The highest expected loss of the next 12 months first: probability of failure × cost of failure. The window of likely failure allows for uncertainty in the expected life; the probability does not, so it may be above 10% before the window begins."
        />
      )}
    </ReportSection>
  );
}

/** The components with the highest expected losses, and why they have their scores. */
function Explained(props: {
  components: readonly ComponentJson[];
  reasons: ReadonlyMap<string, readonly ScoreReasonJson[]>;
  applianceNames: ApplianceNames;
}) {
  const { components, reasons, applianceNames } = props;
  return (
    <>
      <h3>Highest expected losses, and why</h3>
      <ul class="explained">
        {components.map((component) => (
          <li>
            <TierMark tier={component.risk_tier} named />
            <div>
              <SectionComponentName component={component} />{" "}
              <span class="small muted">
                {applianceNames.of(component)} · {probabilityText(component.failure_probability_12m)} in 12
                months · {formatPageMoney(Math.round(pageExpectedLossUsd(component)))} expected loss
              </span>
              <SectionScoreReasons reasons={reasons.get(component.component_id)!} />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Symbols({ row, applianceNames }: { row: SystemRow; applianceNames: ApplianceNames }) {
  const { components, tiers } = row;
  const perSymbol = Math.ceil(components.length / MAX_SYMBOLS);
  if (perSymbol === 1)
    return components.map((component) => (
      <i
        class={component.risk_tier.toLowerCase()}
        title={`${component.component_name}, ${applianceNames.of(component)}: ${component.risk_score.toFixed(2)}`}
      />
    ));
  return (
    <>
      {TIERS.flatMap((tier) =>
        Array.from({ length: Math.ceil(tiers[tier] / perSymbol) }, () => <i class={tier.toLowerCase()} />),
      )}
      <span class="small muted">1 symbol = {formatPageWholeNumber(perSymbol)} components</span>
    </>
  );
}

/** The systems with their components, most critical components first, then most in warning. */
export function* sectionSystems(
  components: readonly ComponentJson[],
  applianceNames: ApplianceNames,
  prices: PageUnitPrices,
): Steps<SystemRow[]> {
  const systems = yield* groupPageRows(components, (component) =>
    applianceNames.systemOf(component.appliance_type),
  );
  const rows: SystemRow[] = [];
  for (const group of systems) {
    rows.push(yield* systemRowInSteps(group, applianceNames, prices));
    yield;
  }
  return rows.sort(
    (a, b) =>
      b.tiers.CRITICAL - a.tiers.CRITICAL ||
      b.tiers.WARNING - a.tiers.WARNING ||
      b.components.length - a.components.length,
  );
}

function* systemRowInSteps(
  components: readonly ComponentJson[],
  applianceNames: ApplianceNames,
  prices: PageUnitPrices,
): Steps<SystemRow> {
  const tiers = { CRITICAL: 0, WARNING: 0, GOOD: 0 };
  const costs = new PageTierCosts(prices);
  yield* forEachInSteps(components, (component) => {
    tiers[component.risk_tier]++;
    costs.add(component);
  });
  const { CRITICAL, WARNING } = costs.tiers;
  const hasOwnSymbols = components.length <= MAX_SYMBOLS;
  return {
    system: applianceNames.systemOf(components[0]!.appliance_type),
    components: hasOwnSymbols ? components.toSorted((a, b) => b.risk_score - a.risk_score) : components,
    tiers,
    plannedUsd: CRITICAL.plannedUsd + WARNING.plannedUsd,
    afterFailureUsd: CRITICAL.afterFailureUsd + WARNING.afterFailureUsd,
  };
}
