import type { ComponentChildren } from "preact";
import type { UnderwritingJson } from "../../api-schemas/underwriting-schema.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { exactMoney, singularCurrencyName } from "../../domain/wording/currency-and-unit-wording.ts";
import { pageCodeLabel } from "../page/page-code-labels.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageMoney,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { DefinitionButton } from "../widgets/term-definition.tsx";
import { LossDriversSection, LossExceedanceSectionTable } from "./loss-section-tables.tsx";
import { ReportSection, SectionTable } from "./section.tsx";
import { pageSectionUnitWordOf } from "./section-unit-word.ts";

const usd = (amount: number) => formatPageMoney(Math.round(amount));

/** The height of the curve, in pixels, beside which its table fits on a screen. */
const CURVE_HEIGHT = 104;

/**
 * The underwriting page of a property: one screen, one printed page. `book`: the name of the properties that it is compared
 * with. `isLoading`: the figures are those of earlier controls. `children`: the controls of the page.
 */
export function UnderwritingSections(props: {
  made: UnderwritingJson;
  book: string;
  isLoading: boolean;
  children: ComponentChildren;
}) {
  const { made, book, isLoading, children } = props;
  const { property, losses } = made;
  return (
    <div class="underwriting sheet" aria-busy={isLoading}>
      <header class="heading">
        <div>
          <h1>{property.name}</h1>
          <p class="muted">
            {postalAddressLine(property)} ·{" "}
            {formatPageCount(property.unit_count, pageSectionUnitWordOf(property))}
            {property.year_built !== null && ` · built ${property.year_built}`} · as of{" "}
            {formatPageDate(losses.as_of)}
          </p>
        </div>
        {children}
      </header>
      <Facts made={made} book={book} />
      <div class="columns">
        <div class="stack">
          <ReportSection id="bad-years" title="Worst years" define="exceededOnce">
            <LossExceedanceSectionTable losses={losses} height={CURVE_HEIGHT} />
          </ReportSection>
          <Claims made={made} />
        </div>
        <div class="stack">
          <ReportSection id="perils" title="Expected damage a year">
            <dl class="figures">
              {losses.damage.by_peril.map(({ peril, expected }) => (
                <div>
                  <dt>{pageCodeLabel(peril)}</dt>
                  <dd>{usd(expected)}</dd>
                </div>
              ))}
            </dl>
          </ReportSection>
          <ReportSection id="drivers" title="Loss drivers" define="variance">
            <LossDriversSection losses={losses} by="kind" heading="Component" />
          </ReportSection>
          <Assumptions made={made} />
        </div>
        <div class="stack">
          <Control made={made} />
          <Open made={made} />
        </div>
      </div>
    </div>
  );
}

function Assumptions({ made }: { made: UnderwritingJson }) {
  const { notes, assumptions } = made.losses;
  const list = [...notes, assumptions.statement].map((sentence) => <li>{sentence}</li>);
  return (
    <ReportSection id="assumptions" title="Confidence and assumptions">
      <details class="table-details">
        <summary>What the figures include and exclude</summary>
        <ul class="small">{list}</ul>
      </details>
      <ul class="small paper">{list}</ul>
    </ReportSection>
  );
}

let ordinal: Intl.PluralRules | undefined;
const SUFFIXES: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd", other: "th" };

/** `83rd percentile` */
function percentileText(share: number): string {
  if (share === 0) return "Lowest";
  if (share === 1) return "Highest";
  // A property near an end has others beyond it.
  const percent = Math.min(Math.max(Math.round(share * 100), 1), 99);
  ordinal ??= new Intl.PluralRules("en-US", { type: "ordinal" });
  return `${percent}${SUFFIXES[ordinal.select(percent)]} percentile`;
}

function Facts({ made: { property, losses, standing }, book }: { made: UnderwritingJson; book: string }) {
  const hundred = losses.total.exceedance.find((point) => point.return_period_years === 100)?.amount ?? 0;
  const unit = pageSectionUnitWordOf(property);
  const perUnit = (amount: number | undefined) => (amount === undefined ? "" : `${usd(amount)} a ${unit}`);
  return (
    <dl class="figures five card">
      <div>
        <dt>
          Expected losses a year
          <DefinitionButton term="expectedLosses" />
        </dt>
        <dd>{usd(losses.total.expected)}</dd>
        <dd class="small muted">{perUnit(losses.per_unit?.total)}</dd>
      </div>
      <div>
        <dt>
          Expected damage a year
          <DefinitionButton term="expectedDamage" />
        </dt>
        <dd>{usd(losses.damage.expected)}</dd>
        <dd class="small muted">{perUnit(losses.per_unit?.damage)}</dd>
      </div>
      <div>
        <dt>
          Expected insured a year
          <DefinitionButton term="insured" />
        </dt>
        <dd>{usd(losses.insured.expected)}</dd>
        <dd class="small muted">
          Above {usd(losses.deductible)} a damage{losses.limit !== null && `, up to ${usd(losses.limit)}`}
        </dd>
      </div>
      <div>
        <dt>Exceeded once in 100 years</dt>
        <dd>{usd(hundred)}</dd>
        <dd class="small muted">All costs of a year</dd>
      </div>
      <div>
        <dt>
          Place in the {book}
          <DefinitionButton term="percentile" />
        </dt>
        <Place standing={standing} components={losses.components} unit={unit} />
      </div>
    </dl>
  );
}

function Place(props: { standing: UnderwritingJson["standing"]; components: number; unit: string }) {
  const { standing, components, unit } = props;
  const { as_of: day, expected_per_unit: losses, damage_per_unit: damage } = standing;
  if (day === null && components === 0)
    return (
      <>
        <dd>None</dd>
        <dd class="small muted">No components to compare</dd>
      </>
    );
  if (day === null)
    return (
      <>
        <dd>Not yet</dd>
        <dd class="small muted">Compared after the next snapshot</dd>
      </>
    );
  if (losses === null || damage === null)
    return (
      <>
        <dd>Alone</dd>
        <dd class="small muted">No other property on {formatPageDate(day)}</dd>
      </>
    );
  return (
    <>
      <dd>{percentileText(losses)}</dd>
      <dd class="small muted">
        Of {formatPageWholeNumber(standing.properties)} by losses a {unit}; by damage{" "}
        {percentileText(damage).toLowerCase()}. {formatPageDate(day)}
      </dd>
    </>
  );
}

function Control({ made: { loss_control: control } }: { made: UnderwritingJson }) {
  const about =
    control.components === 0
      ? "No critical or warning component damages anything else."
      : `Replacing the ${formatPageCount(control.components, "critical or warning component")} for ${usd(control.planned_cost)} saves ${usd(control.damage_saved)} of damage in the first year: ${exactMoney(control.saved_per_dollar ?? 0)} a ${singularCurrencyName()}.`;
  return (
    <ReportSection id="loss-control" title="Loss control" about={about} define="lossControl">
      {control.best.length > 0 && (
        <SectionTable
          caption={`Planned work that saves the most damage per ${singularCurrencyName()}`}
          columns={[
            { heading: "Component", cell: ({ component_name }) => component_name },
            { heading: "Cost", isNumber: true, cell: ({ planned_cost }) => usd(planned_cost) },
            { heading: "Saved", isNumber: true, cell: ({ damage_saved }) => usd(damage_saved) },
          ]}
          rows={control.best}
        />
      )}
    </ReportSection>
  );
}

function Open({ made: { hazards, overdue_inspections: overdue } }: { made: UnderwritingJson }) {
  const kinds = [
    ...Map.groupBy(overdue, ({ inspection_type, appliance_type }) => `${inspection_type} ${appliance_type}`),
  ].map(([, [first, ...others]]) => [first!, 1 + others.length] as const);
  const hazardLine = ({ label, appliances, suspected }: (typeof hazards)[number]) =>
    `${label}: ${flaggedText(appliances, suspected)}`;
  const inspectionLine = ([
    { inspection_type, appliance_type, due_date, basis },
    number,
  ]: (typeof kinds)[number]) => (
    <li>
      {pageCodeLabel(inspection_type)}, {pageCodeLabel(appliance_type).toLowerCase()}
      {number > 1 && ` × ${number}`}{" "}
      <span class="small muted">{basis === "none" ? "no record" : `due ${formatPageDate(due_date)}`}</span>
    </li>
  );
  return (
    <ReportSection
      id="open"
      title="Hazards and overdue inspections"
      about={
        hazards.length + overdue.length === 0
          ? "No known hazard, no mandatory inspection overdue."
          : `${formatPageCount(hazards.length, "known hazard")}, ${formatPageCount(overdue.length, "mandatory inspection")} overdue. Local law decides.`
      }
    >
      <ul class="small">
        {hazards.slice(0, MOST_LISTED).map((hazard) => (
          <li>{hazardLine(hazard)}</li>
        ))}
        <More count={hazards.length - MOST_LISTED} of="known hazard" />
        {kinds.slice(0, MOST_LISTED).map(inspectionLine)}
        <More count={kinds.length - MOST_LISTED} of="kind of inspection" plural="kinds of inspection" />
      </ul>
      {(hazards.length > 0 || kinds.length > MOST_LISTED) && (
        <details class="table-details">
          <summary>All, with what to do</summary>
          <ul class="small">
            {hazards.map((hazard) => (
              <li>
                {hazardLine(hazard)}. <span class="muted">{hazard.authority}</span>
              </li>
            ))}
            {kinds.map(inspectionLine)}
          </ul>
        </details>
      )}
    </ReportSection>
  );
}

function flaggedText(known: number, suspected: number): string {
  if (known === 0) return formatPageCount(suspected, "suspected appliance");
  return formatPageCount(known, "appliance") + (suspected > 0 ? `, ${suspected} suspected` : "");
}

/** Lines of each list that a screen and a printed page have room for. */
const MOST_LISTED = 3;

function More({ count, of, plural }: { count: number; of: string; plural?: string }) {
  return count > 0 ? (
    <li class="muted">{formatPageCount(count, `more ${of}`, plural && `more ${plural}`)}</li>
  ) : null;
}

function Claims({ made: { claims } }: { made: UnderwritingJson }) {
  return (
    <ReportSection
      id="claims"
      title="Claims"
      about={`Since ${formatPageDate(claims.since)}, without denied ones.`}
    >
      <dl class="figures">
        <div>
          <dt>Claims</dt>
          <dd>{formatPageWholeNumber(claims.count)}</dd>
          <dd class="small muted">{claims.per_year.toFixed(2)} a year</dd>
        </div>
        <div>
          <dt>Incurred</dt>
          <dd>{usd(claims.incurred)}</dd>
        </div>
        <div>
          <dt>Model expects</dt>
          <dd>{claims.expected_damages_per_year.toFixed(2)}</dd>
          <dd class="small muted">damages a year</dd>
        </div>
      </dl>
    </ReportSection>
  );
}
