import { addressLine } from "../../domain/address.ts";
import type { UnderwritingJson } from "../../wire/underwriting.ts";
import { count, counted, date, money } from "../format.ts";
import { codeLabel } from "../labels.ts";
import { LossDrivers, LossYears } from "./loss-tables.tsx";
import { DataTable, Section } from "./section.tsx";
import { unitWordOf } from "./unit-word.ts";

const usd = (amount: number) => money(Math.round(amount));

/** The underwriting page of a property: one screen, one printed page. `book`: the properties that it is compared with. */
export function Underwriting({ made, book }: { made: UnderwritingJson; book: string }) {
  const { property, losses } = made;
  return (
    <div class="underwriting">
      <header class="heading">
        <div>
          <h1>{property.name}</h1>
          <p class="muted">
            {addressLine(property)} · {counted(property.unit_count, unitWordOf(property))}
            {property.year_built !== null && ` · built ${property.year_built}`} · as of {date(losses.as_of)}
          </p>
        </div>
      </header>
      <Facts made={made} book={book} />
      <div class="two-columns">
        <div class="stack">
          <Section
            id="bad-years"
            title="Bad years"
            about={`Insured above ${usd(losses.deductible)} a damage${losses.limit === null ? "" : `, up to ${usd(losses.limit)}`}.`}
          >
            <LossYears losses={losses} />
          </Section>
          <Claims made={made} />
          <Assumptions made={made} />
        </div>
        <div class="stack">
          <Section id="perils" title="Expected damage by peril">
            <DataTable
              caption="Expected damage by peril"
              columns={[
                { heading: "Peril", cell: ({ peril }) => codeLabel(peril) },
                { heading: "A year", isNumber: true, cell: ({ expected }) => usd(expected) },
              ]}
              rows={losses.damage.by_peril}
            />
          </Section>
          <Section id="drivers" title="What drives it">
            <LossDrivers losses={losses} by="kind" heading="Component" />
          </Section>
          <Control made={made} />
          <Open made={made} />
        </div>
      </div>
    </div>
  );
}

function Assumptions({ made }: { made: UnderwritingJson }) {
  const { losses } = made;
  return (
    <Section id="assumptions" title="Confidence and assumptions" about={confidenceText(made)}>
      <ul class="small">
        {losses.notes.map((sentence) => (
          <li>{sentence}</li>
        ))}
        <li>{losses.assumptions.statement}</li>
      </ul>
    </Section>
  );
}

function rankText(share: number): string {
  if (share === 0) return "the lowest of";
  return share === 1 ? "the highest of" : `more than ${Math.round(share * 100)}% of`;
}

function Facts({ made: { property, losses, standing }, book }: { made: UnderwritingJson; book: string }) {
  const hundred = losses.total.exceedance.find((point) => point.return_period_years === 100)?.amount ?? 0;
  const rank = (share: number | null) => {
    if (standing.as_of === null) return "compared with the others after the next snapshot";
    return share === null
      ? "the only property"
      : `${rankText(share)} the ${count(standing.properties)} in the ${book} on ${date(standing.as_of)}`;
  };
  return (
    <dl class="figures four card">
      <div>
        <dt>Expected losses a year</dt>
        <dd>{usd(losses.total.expected)}</dd>
        <dd class="small muted">
          {losses.per_unit
            ? `${usd(losses.per_unit.total)} a ${unitWordOf(property)}: ${rank(standing.expected_per_unit)}`
            : ""}
        </dd>
      </div>
      <div>
        <dt>Expected damage a year</dt>
        <dd>{usd(losses.damage.expected)}</dd>
        <dd class="small muted">
          {losses.per_unit
            ? `${usd(losses.per_unit.damage)} a ${unitWordOf(property)}: ${rank(standing.damage_per_unit)}`
            : ""}
        </dd>
      </div>
      <div>
        <dt>Exceeded once in 100 years</dt>
        <dd>{usd(hundred)}</dd>
        <dd class="small muted">All costs of a year</dd>
      </div>
      <div>
        <dt>Expected insured a year</dt>
        <dd>{usd(losses.insured.expected)}</dd>
        <dd class="small muted">Above the deductible, up to the limit</dd>
      </div>
    </dl>
  );
}

function Control({ made: { loss_control: control } }: { made: UnderwritingJson }) {
  const about =
    control.components === 0
      ? "No critical or warning component damages anything else."
      : `Replacing the ${counted(control.components, "critical or warning component")} for ${usd(control.planned_cost)} saves ${usd(control.damage_saved)} of damage in the first year: $${(control.saved_per_dollar ?? 0).toFixed(2)} a dollar.`;
  return (
    <Section id="loss-control" title="Loss control" about={about}>
      {control.best.length > 0 && (
        <DataTable
          caption="Planned work that saves most damage per dollar"
          columns={[
            { heading: "Component", cell: ({ component_name }) => component_name },
            { heading: "Planned cost", isNumber: true, cell: ({ planned_cost }) => usd(planned_cost) },
            { heading: "Damage saved", isNumber: true, cell: ({ damage_saved }) => usd(damage_saved) },
          ]}
          rows={control.best}
        />
      )}
    </Section>
  );
}

function Open({ made: { hazards, overdue_inspections: overdue } }: { made: UnderwritingJson }) {
  const kinds = [
    ...Map.groupBy(overdue, ({ inspection_type, appliance_type }) => `${inspection_type} ${appliance_type}`),
  ].map(([, [first, ...others]]) => [first!, 1 + others.length] as const);
  return (
    <Section
      id="open"
      title="Hazards and overdue inspections"
      about={
        hazards.length + overdue.length === 0
          ? "No known hazard, no mandatory inspection overdue."
          : `${counted(hazards.length, "known hazard")}, ${counted(overdue.length, "mandatory inspection")} overdue. Local law decides.`
      }
    >
      <ul class="small">
        {hazards.slice(0, MOST_LISTED).map(({ label, appliances, suspected, authority }) => (
          <li>
            {label}: {flaggedText(appliances, suspected)} <span class="small muted">{authority}</span>
          </li>
        ))}
        <More count={hazards.length - MOST_LISTED} of="known hazard" />
        {kinds.slice(0, MOST_LISTED).map(([{ inspection_type, appliance_type, due_date, basis }, number]) => (
          <li>
            {codeLabel(inspection_type)}, {codeLabel(appliance_type).toLowerCase()}
            {number > 1 && ` × ${number}`}{" "}
            <span class="small muted">{basis === "none" ? "no record" : `due ${date(due_date)}`}</span>
          </li>
        ))}
        <More count={kinds.length - MOST_LISTED} of="kind of inspection" plural="kinds of inspection" />
      </ul>
    </Section>
  );
}

function flaggedText(known: number, suspected: number): string {
  if (known === 0) return counted(suspected, "suspected appliance");
  return counted(known, "appliance") + (suspected > 0 ? `, ${suspected} suspected` : "");
}

/** Lines of each list that a printed page has room for. */
const MOST_LISTED = 5;

function More({ count, of, plural }: { count: number; of: string; plural?: string }) {
  return count > 0 ? <li class="muted">{counted(count, `more ${of}`, plural && `more ${plural}`)}</li> : null;
}

function Claims({ made: { claims } }: { made: UnderwritingJson }) {
  return (
    <Section id="claims" title="Claims" about={`Since ${date(claims.since)}, without denied ones.`}>
      <dl class="figures">
        <div>
          <dt>Claims</dt>
          <dd>{count(claims.count)}</dd>
          <dd class="small muted">{claims.per_year.toFixed(2)} a year</dd>
        </div>
        <div>
          <dt>Incurred</dt>
          <dd>{usd(claims.incurred)}</dd>
        </div>
        <div>
          <dt>Damages expected</dt>
          <dd>{claims.expected_damages_per_year.toFixed(2)}</dd>
          <dd class="small muted">a year, by the model</dd>
        </div>
      </dl>
    </Section>
  );
}

function confidenceText({ losses: { assumptions } }: UnderwritingJson): string {
  const { HIGH, MEDIUM, LOW } = assumptions.confidence_shares;
  const share = (value: number) => `${Math.round(value * 100)}%`;
  return `Confidence is high for ${share(HIGH)}, medium for ${share(MEDIUM)} and low for ${share(LOW)} of ${counted(assumptions.components, "component")}; ${count(assumptions.unknown_past)} may have been replaced before the record began.`;
}
