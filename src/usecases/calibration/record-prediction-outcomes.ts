import type { ComponentToScore } from "../../domain/component.ts";
import { appliancesByEqualScoringInputs } from "../../domain/scoring/equal-scoring-inputs.ts";
import {
  CascadeEffects,
  type CascadeSource as CascadingAppliance,
} from "../../domain/scoring/failure-cascade.ts";
import { scoreCascadeSourcesInSteps, scorePropertyInSteps } from "../../domain/scoring/score.ts";
import { isScoredByCascade } from "../../domain/scoring/score-cascades-across-types.ts";
import type { Score } from "../../domain/scoring/scoring-types.ts";
import { isOutcomeEventType, type ServiceEvent } from "../../domain/service-event.ts";
import { addDays, type Day } from "../../domain/time.ts";
import { runYielding } from "../../event-loop/event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances-queries.ts";
import type { DayEvent } from "../../store/queries/service-events-queries.ts";
import { type LoadedProperty, loadHistories } from "../history/load-histories.ts";
import { loadAppliancesOfHistory } from "../history/load-history-appliances.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { rescoreBatches, rescoredUpstreamAppliances } from "../rescoring/rescore.ts";
import { loadActiveModelVersion, loadModelCorrections } from "./load-active-model.ts";

/** The events of one appliance on one day, by their IDs. */
type DayLog = Map<string, LoggedEvent>;
/** The fields of an event that tell what it left an outcome of. */
type LoggedEvent = Pick<
  ServiceEvent,
  "id" | "applianceId" | "componentId" | "eventType" | "date" | "createdAt"
>;
/** The fields of an event that are stored with its outcomes. */
type OutcomeEvent = Pick<ServiceEvent, "id" | "eventType" | "date" | "createdAt">;
/** Events of a day per query. */
const EVENT_PAGE = 2000;
/** Events by day, then by appliance. */
type Logged = Map<Day, Map<string, DayLog>>;

/**
 * Stores the validation data of the service events of one write: the probability on the day before a failure or a
 * replacement, from the history known by then. An appliance is assessed once for each such day.
 */
export class PredictionOutcomeLog {
  #appliances = new Map<string, ScoredAppliance>();
  /** By property. */
  #logged = new Map<string, Logged>();
  /** The events that were added: the outcomes of all others are stored. */
  readonly #own = new Set<string>();
  /** The days of appliances whose Replacements have changed. */
  readonly #reopened = new Map<string, { appliance: ScoredAppliance; date: Day }>();

  constructor(private readonly writer: PortfolioWriter) {}

  /** Adds an inserted event. */
  add(event: LoggedEvent, appliance: ScoredAppliance): void {
    const { eventType } = event;
    if (!isOutcomeEventType(eventType) && eventType !== "Warranty Claim") return;
    this.#appliances.set(appliance.id, appliance);
    this.#own.add(event.id);
    const days = entry(this.#logged, appliance.propertyId, (): Logged => new Map());
    const day = entry(days, event.date, () => new Map<string, DayLog>());
    entry(day, appliance.id, (): DayLog => new Map()).set(event.id, event);
  }

  /**
   * Deletes what a changed or voided event left, also as it was earlier in this write. The caller adds the event itself if it
   * still counts.
   */
  async reopen({ id, eventType, date }: LoggedEvent, appliance: ScoredAppliance): Promise<void> {
    await this.writer.tx.serviceEvents.deleteOutcomes(id);
    this.#logged.get(appliance.propertyId)?.get(date)?.get(appliance.id)?.delete(id);
    if (eventType === "Replacement") this.#reopened.set(`${appliance.id} ${date}`, { appliance, date });
  }

  /** Stores the outcomes. Must be called before the events change the components' dates. */
  async finish(): Promise<void> {
    for (const { appliance, date } of this.#reopened.values()) await this.#addClaimsAgain(appliance, date);
    for (const [propertyId, days] of this.#logged) await this.#storeOfProperty(propertyId, days);
  }

  /** Adds the Warranty Claims of a day again, whose outcomes depend on the day's Replacements. */
  async #addClaimsAgain(appliance: ScoredAppliance, date: Day): Promise<void> {
    const day = { applianceId: appliance.id, date };
    await this.#eachOfDay(day, async (event) => {
      if (event.eventType !== "Warranty Claim" || this.#own.has(event.id)) return;
      await this.writer.tx.serviceEvents.deleteOutcomes(event.id);
      this.add({ ...event, ...day }, appliance);
    });
  }

  async #storeOfProperty(propertyId: string, days: Logged): Promise<void> {
    const { tx, knowledge } = this.writer;
    const { loaded, upstream } = await this.#load(propertyId, days);
    const components = Map.groupBy(loaded.components, ({ applianceId }) => applianceId);
    const histories = new Map(loaded.history.appliances.map((history) => [history.id, history]));
    const reachingEver = upstream.map(({ id }) => histories.get(id)!);
    const ofUpstream = await loadModelCorrections(tx, knowledge, reachingEver);
    const stands = appliancesByEqualScoringInputs(reachingEver, ofUpstream);
    for (const [date, logs] of days) {
      const before = addDays(date, -1);
      const targets = [...logs.keys()];
      const reaching = rescoredUpstreamAppliances(
        knowledge,
        targets.map((id) => this.#appliances.get(id)!),
        upstream,
      );
      const standing = new Set(reaching.map(({ id }) => stands.get(id)!));
      const assessed = new Map<string, CascadingAppliance>();
      for (const appliances of rescoreBatches([...standing])) {
        const some = { ...loaded.history, appliances: [...appliances] };
        const steps = scoreCascadeSourcesInSteps(knowledge, some, before, ofUpstream);
        for (const [i, score] of (await runYielding(steps, tx.yieldToEventLoop)).entries())
          assessed.set(appliances[i]!.id, score);
        await tx.yieldToEventLoop();
      }
      const upstreamScores = reaching.map(({ id, unitId }) => ({
        ...assessed.get(stands.get(id)!.id)!,
        unitId,
      }));
      const cascades = new CascadeEffects(knowledge, upstreamScores);
      const scores = new Map<string, Score>();
      for (const step of rescoreBatches(targets)) {
        const some = { ...loaded.history, appliances: step.map((id) => histories.get(id)!) };
        const corrections = await loadModelCorrections(tx, knowledge, some.appliances);
        const steps = scorePropertyInSteps(knowledge, some, before, { corrections, cascades });
        for (const [id, score] of await runYielding(steps, tx.yieldToEventLoop)) scores.set(id, score);
        await tx.yieldToEventLoop();
      }
      for (const [applianceId, log] of logs)
        await this.#storeOfDay(log, components.get(applianceId) ?? [], scores);
    }
  }

  /** Loads the histories of the appliances in the events, and of those that cascade to them, once. */
  async #load(
    propertyId: string,
    days: Logged,
  ): Promise<{ loaded: LoadedProperty; upstream: ScoredAppliance[] }> {
    const { tx, partner, knowledge } = this.writer;
    const property = (await tx.properties.find(partner.id, propertyId))!;
    const spokenOf = [...new Set([...days.values()].flatMap((logs) => [...logs.keys()]))].map(
      (id) => this.#appliances.get(id)!,
    );
    const isReached = spokenOf.some(({ typeId }) => isScoredByCascade(knowledge, typeId));
    const all = isReached ? await loadAppliancesOfHistory(tx, propertyId) : [];
    const upstream = rescoredUpstreamAppliances(knowledge, spokenOf, all);
    const read = new Map([...upstream, ...spokenOf].map((appliance) => [appliance.id, appliance]));
    const before = [...days.keys()].map((day) => addDays(day, -1));
    const loaded = await loadHistories(tx, knowledge, [property], [...read.values()], before);
    await tx.yieldToEventLoop();
    return { loaded: loaded.get(propertyId)!, upstream };
  }

  async #storeOfDay(
    log: DayLog,
    components: readonly ComponentToScore[],
    scores: ReadonlyMap<string, Score>,
  ): Promise<void> {
    const keep = (event: OutcomeEvent, spokenOf: ReadonlySet<string>) =>
      this.#store(
        event,
        components.filter(({ id }) => spokenOf.has(id)),
        scores,
      );
    const every = new Set(components.map(({ id }) => id));
    const spokenOf = ({ componentId }: { componentId: string | null }) =>
      componentId === null ? every : new Set([componentId]);
    const [claims, replacements]: [LoggedEvent[], LoggedEvent[]] = [[], []];
    for (const event of log.values()) {
      if (isOutcomeEventType(event.eventType)) await keep(event, spokenOf(event));
      if (event.eventType === "Warranty Claim") claims.push(event);
      if (event.eventType === "Replacement") replacements.push(event);
    }
    // A Warranty Claim leaves an outcome of the components replaced on its day, whichever was logged first.
    const [about] = claims.length > 0 ? claims : replacements;
    if (!about) return;
    const all = new Set<string>();
    const before = new Set<string>();
    await this.#eachOfDay(about, (event) => {
      if (event.eventType !== "Replacement") return;
      for (const id of spokenOf(event)) {
        all.add(id);
        if (!this.#own.has(event.id)) before.add(id);
      }
    });
    for (const claim of claims) await keep(claim, spokenOf(claim).intersection(all));
    const newly = all.difference(before);
    if (newly.size === 0) return;
    await this.#eachOfDay(about, async (event) => {
      if (event.eventType === "Warranty Claim" && !this.#own.has(event.id))
        await keep({ ...event, date: about.date }, spokenOf(event).intersection(newly));
    });
  }

  /** Visits all events of an appliance on a day, in pages. */
  async #eachOfDay(
    { applianceId, date }: Pick<ServiceEvent, "applianceId" | "date">,
    visit: (event: DayEvent) => void | Promise<void>,
  ): Promise<void> {
    const { tx } = this.writer;
    for (let after = ""; ; await tx.yieldToEventLoop()) {
      const some = await tx.serviceEvents.ofDayAfter(applianceId, date, after, EVENT_PAGE);
      for (const event of some) await visit(event);
      if (some.length < EVENT_PAGE) return;
      after = some.at(-1)!.id;
    }
  }

  async #store(
    event: OutcomeEvent,
    components: readonly ComponentToScore[],
    scores: ReadonlyMap<string, Score>,
  ): Promise<void> {
    const { tx, partner, knowledge } = this.writer;
    const modelVersion = await loadActiveModelVersion(tx, knowledge);
    for (const component of components) {
      const score = scores.get(component.id)!;
      await tx.serviceEvents.insertOutcome({
        serviceEventId: event.id,
        componentId: component.id,
        partnerId: partner.id,
        defId: component.defId,
        eventType: event.eventType,
        date: event.date,
        ageYears: score.ageYears,
        probability: score.periodRisk,
        riskScore: Math.round(score.riskScore * 100),
        modelVersion,
        createdAt: event.createdAt,
      });
    }
    await tx.yieldToEventLoop();
  }
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
