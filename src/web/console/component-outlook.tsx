import type { ExplanationJson, ScoreChangeJson } from "../../wire/explanation.ts";
import { TierMark } from "../charts/tier-mark.tsx";
import { counted, date, money, years } from "../format.ts";
import { DataTable, Section } from "../sections/section.tsx";
import { POLICY_WORDS, TIER_WORDS } from "../words.ts";
import { formatPercent } from "./precise-format.ts";

const CHANGE_WORDS: Readonly<Record<ScoreChangeJson["change"], string>> = {
  replacement: "A replacement",
  preventive_visit: "A preventive visit",
  inspection_good: "An inspection that finds it good",
  inspection_poor: "An inspection that finds it poor",
};

type Row = Pick<ScoreChangeJson, "confidence" | "note" | "q" | "risk_score" | "risk_tier"> & { name: string };

/** What the score would be if something happened to it on that day. */
export function WhatIf({ explained: { changes, score, confidence } }: { explained: ExplanationJson }) {
  const now: Row = { ...score, name: "As it is", confidence: confidence.level, note: null };
  const rows = [now, ...changes.map((one): Row => ({ ...one, name: CHANGE_WORDS[one.change] }))];
  return (
    <Section id="what-if" title="What would change it" about="Each alone, on the day of the score.">
      <DataTable
        caption="What would change it"
        rows={rows}
        columns={[
          {
            heading: "If there were",
            cell: ({ name, note }) => (
              <>
                {name}
                {note !== null && <span class="under small mute">{note}</span>}
              </>
            ),
          },
          {
            heading: "Score",
            isNumber: true,
            cell: ({ risk_tier, risk_score }) => (
              <>
                <TierMark tier={risk_tier} /> {risk_score.toFixed(2)}
              </>
            ),
          },
          { heading: "Tier", cell: ({ risk_tier }) => TIER_WORDS[risk_tier].name },
          { heading: "Chance to fail", isNumber: true, cell: ({ q }) => formatPercent(q) },
          { heading: "Confidence", cell: ({ confidence }) => confidence.toLowerCase() },
        ]}
      />
    </Section>
  );
}

/** How well it is known, what would make it better known, and when it is expected to fail. */
export function Confidence({ explained: { confidence, projection } }: { explained: ExplanationJson }) {
  const { raised_to, raised_by, condition_observed_on, brand_known, service_events } = confidence;
  return (
    <Section
      id="confidence"
      title="How sure it is"
      about={`${counted(service_events, "service event")}; its condition was ${
        condition_observed_on === null ? "never observed" : `observed on ${date(condition_observed_on)}`
      }; its make is ${brand_known ? "known" : "not known"}.`}
    >
      <p>
        {raised_to === null
          ? "It is as sure as it gets."
          : `To be ${raised_to.toLowerCase()} it takes ${new Intl.ListFormat("en-US").format(raised_by)}.`}{" "}
        It is expected to fail in {years(projection)}, with {projection.confidence_pct}% confidence in that
        range.
      </p>
    </Section>
  );
}

/** What to do about it, and what that rests on. */
export function Decision({ explained: { decision } }: { explained: ExplanationJson }) {
  const { policy, replace_on, proactive_cost, reactive_cost, cost_of_waiting_a_year } = decision;
  const isByAge = replace_on !== null;
  return (
    <Section
      id="decision"
      title="What to do about it"
      about={
        isByAge
          ? `${POLICY_WORDS[policy]}; due ${date(replace_on)}.`
          : `${POLICY_WORDS[policy]}: to replace it by age would save too little.`
      }
    >
      <dl class="facts">
        <div>
          <dt>Costs</dt>
          <dd>
            {money(proactive_cost)} planned, {money(reactive_cost)} once it has failed
          </dd>
        </div>
        <div>
          <dt>In the long run</dt>
          <dd>
            {money(decision.yearly_cost)} a year
            {isByAge && `; run to failure ${money(decision.yearly_cost_run_to_failure)}`}
          </dd>
        </div>
        <div>
          <dt>To wait a year</dt>
          <dd>
            risks {money(decision.risked_a_year)}, {formatPercent(decision.failure_probability_12m)} of what a
            failure costs more, and spares {money(decision.yearly_cost)}:{" "}
            {cost_of_waiting_a_year > 0
              ? `it costs ${money(cost_of_waiting_a_year)} more than it saves`
              : `it saves ${money(-cost_of_waiting_a_year)} more than it costs`}
          </dd>
        </div>
      </dl>
    </Section>
  );
}

/** The sources that the numbers above name. */
export function Sources({ sources }: Pick<ExplanationJson, "sources">) {
  return (
    <Section id="sources" title="Where the numbers are from">
      <ul class="plain-list small">
        {sources.map(({ token, title, publisher, year, address, strength, second_hand }) => (
          <li>
            <code>{token}</code> {title}. {publisher}
            {year !== null && `, ${year}`}.{strength !== null && ` Strength ${strength}`}
            {second_hand && ", second-hand"}
            {strength !== null && "."} {address !== null && <span class="mute address">{address}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
