import { isNotNull, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { StoredCorrections } from "../domain/calibration/model-version.ts";
import type { EmbedView } from "../domain/embed.ts";
import { DELIVERY_STATUSES } from "../domain/partner.ts";
import { UNIT_TIMINGS } from "../domain/planning/unit-advice.ts";
import { UNIT_LABELS } from "../domain/property.ts";
import { SCORE_CONFIDENCES } from "../domain/scoring/scoring-types.ts";
import { CONDITIONS, type ConditionScore } from "../domain/service-event.ts";
import { WORK_STATES } from "../domain/work-mark.ts";
import { isElevatedScoreSql } from "./queries/elevated-score-sql.ts";
import { lowerCaseSql, streetWithoutNumberSql } from "./queries/searched-text-sql.ts";
import type { ColumnTypes } from "./store-column-types.ts";

/**
 * Every table, once, over the column types of an engine. Ids are text and sort by creation; days are `YYYY-MM-DD`;
 * instants are epoch milliseconds; money is US cents; scores are hundredths. `seq` numbers a partner's rows of one
 * table without gaps from 1: nothing that has one is deleted but with all of its partner, so the row at any offset of
 * a list is found by its number instead of by counting. The rows of retired properties and appliances have the negative of
 * their number: every list reads the positive ones alone, and its gaps are counted by blocks (`listPageStartsStore`).
 */
export function defineStoreTables(columnTypes: ColumnTypes) {
  const {
    table,
    text,
    oneOf,
    int,
    identity,
    bigint,
    real,
    bool,
    json,
    bytes,
    index,
    uniqueIndex,
    primaryKey,
    isTrue,
  } = columnTypes;

  const partners = table(
    "partners",
    {
      id: text("id").primaryKey(),
      name: text("name").notNull(),
      enabled: bool("enabled").notNull(),
      dailyBudget: int("daily_budget").notNull(),
      /** Part of each token; raising it revokes all tokens issued before. */
      credentialGeneration: int("credential_generation").notNull(),
      createdAt: bigint("created_at").notNull(),
      /** Raised by each commit that changes the partner's data or credentials. */
      revision: int("revision").notNull().default(1),
      /** A digest of the cost book; null without one. */
      costBook: text("cost_book"),
    },
    (t) => [index("partners_name").on(t.name)],
  );

  /** API keys and OAuth clients. A rotated credential stays, with the instant at which it was revoked. */
  const credentials = table(
    "credentials",
    {
      secretHash: text("secret_hash").primaryKey(),
      partnerId: text("partner_id")
        .notNull()
        .references(() => partners.id),
      kind: oneOf("kind", ["api_key", "client_secret"]).notNull(),
      clientId: text("client_id"),
      createdAt: bigint("created_at").notNull(),
      revokedAt: bigint("revoked_at"),
    },
    (t) => [
      index("credentials_partner").on(t.partnerId),
      uniqueIndex("credentials_client").on(t.clientId).where(isNotNull(t.clientId)),
    ],
  );

  const administrators = table(
    "administrators",
    {
      id: text("id").primaryKey(),
      name: text("name").notNull(),
      keyHash: text("key_hash").notNull(),
      createdAt: bigint("created_at").notNull(),
      revokedAt: bigint("revoked_at"),
    },
    (t) => [uniqueIndex("administrators_key").on(t.keyHash)],
  );

  // The table keeps its first name: servers of the previous version read it during a rolling upgrade.
  const webhookEndpoints = table("webhook_receivers", {
    partnerId: text("partner_id")
      .primaryKey()
      .references(() => partners.id),
    url: text("url"),
    /** Encrypted with the key file. */
    secret: text("secret").notNull(),
    nextSecret: text("next_secret"),
    /** The instant at which the next secret replaces the current one. */
    rotatesAt: bigint("rotates_at"),
    /** The names of the subscribed events; null for all. */
    events: json<string[]>("events"),
    /** The most concurrent deliveries; null for the configured number. */
    concurrency: int("concurrency"),
    /** Raised by each change by an operator, so that servers detect the changes of commands. */
    revision: int("revision").notNull().default(0),
    /** The endpoint's health since its last success: consecutive failed attempts, and the pause. */
    failures: int("failures").notNull().default(0),
    failingSince: bigint("failing_since"),
    pausedAt: bigint("paused_at"),
    lastError: text("last_error"),
  });

  const properties = table(
    "properties",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id")
        .notNull()
        .references(() => partners.id),
      seq: int("seq").notNull(),
      name: text("name").notNull(),
      address: text("address").notNull(),
      city: text("city"),
      state: text("state").notNull(),
      zip: text("zip"),
      unitCount: int("unit_count").notNull(),
      yearBuilt: int("year_built"),
      estimatedValueCents: bigint("estimated_value_cents"),
      grossAreaSqft: real("gross_area_sqft"),
      stories: int("stories"),
      unitLabel: oneOf("unit_label", UNIT_LABELS),
      replacementValueCents: bigint("replacement_value_cents"),
      isDemo: bool("is_demo").notNull(),
      partnerPropertyId: text("partner_property_id"),
      notes: text("notes"),
      source: oneOf("source", ["api", "import", "sensor_event", "demo"]).notNull(),
      /** The first day of the complete service record. */
      recordsSince: text("records_since").notNull(),
      /** False if that day follows from the registration and the service events. */
      recordsSinceGiven: bool("records_since_given").notNull().default(false),
      /** The day from which it is retired, which may be in the future, and why. */
      retiredAt: text("retired_at"),
      retiredReason: text("retired_reason"),
      /** The normalized address (`addressKey`); null for the demo property. */
      addressKey: text("address_key"),
      /** The property that this one was merged into. */
      mergedInto: text("merged_into"),
      createdAt: bigint("created_at").notNull(),
      updatedAt: bigint("updated_at").notNull(),
    },
    (t) => [
      uniqueIndex("properties_list").on(t.partnerId, t.seq),
      uniqueIndex("properties_reference")
        .on(t.partnerId, t.partnerPropertyId)
        .where(isNotNull(t.partnerPropertyId)),
      index("properties_address").on(t.partnerId, t.address, t.seq),
      index("properties_search_name").on(t.partnerId, lowerCaseSql(t.name), t.seq).where(sql`${t.seq} > 0`),
      index("properties_search_address")
        .on(t.partnerId, lowerCaseSql(t.address), t.seq)
        .where(sql`${t.seq} > 0`),
      index("properties_search_street")
        .on(t.partnerId, streetWithoutNumberSql(t.address), t.seq)
        .where(sql`${t.seq} > 0`),
      index("properties_duplicates").on(t.partnerId, t.addressKey, t.seq).where(isNotNull(t.addressKey)),
      // The further columns of partial indexes make SQLite prefer them to the indexes of all rows.
      index("properties_demo").on(t.partnerId, t.isDemo, t.seq).where(isTrue(t.isDemo)),
      index("properties_retiring").on(t.retiredAt).where(sql`${t.retiredAt} is not null and ${t.seq} > 0`),
    ],
  );

  const units = table(
    "units",
    {
      id: text("id").primaryKey(),
      propertyId: text("property_id")
        .notNull()
        .references(() => properties.id),
      number: int("number").notNull(),
      createdAt: bigint("created_at").notNull(),
    },
    (t) => [uniqueIndex("units_list").on(t.propertyId, t.number)],
  );

  const appliances = table(
    "appliances",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id")
        .notNull()
        .references(() => properties.id),
      seq: int("seq").notNull(),
      unitId: text("unit_id").references(() => units.id),
      typeId: text("type_id").notNull(),
      brand: text("brand"),
      model: text("model"),
      serial: text("serial"),
      brandTier: oneOf("brand_tier", ["premium", "standard", "budget"]).notNull(),
      /** False if the tier follows from the brand. */
      brandTierGiven: bool("brand_tier_given").notNull(),
      installYear: int("install_year").notNull(),
      installYearBasis: oneOf("install_year_basis", ["given", "year_built"]).notNull().default("given"),
      usageIntensity: real("usage_intensity").notNull(),
      /** In the unit of the type. */
      size: real("size"),
      warrantyExpiry: text("warranty_expiry"),
      /** The known hazards that it is flagged for, each with its basis: `federal_pacific:brand aluminum_wiring:era`. */
      flags: text("flags").notNull().default(""),
      /** Codes that the partner set, and that the partner cleared, separated by spaces. */
      flagsSet: text("flags_set").notNull().default(""),
      flagsCleared: text("flags_cleared").notNull().default(""),
      /** Inspections with an open deficiency. */
      deficiencies: int("deficiencies").notNull().default(0),
      /** The cost of what its plan says is due now: the unit, or parts. */
      dueCents: bigint("due_cents").notNull().default(0),
      /** When it is due as a whole; null if it is not replaced as a whole, or lacks components of its type. */
      unitTiming: oneOf("unit_timing", UNIT_TIMINGS),
      /** The last day for which both hold if its parts only age; null if its next score decides. */
      dueHoldsUntil: text("due_holds_until"),
      /** As for a property. Null also if it is retired with its property alone. */
      retiredAt: text("retired_at"),
      retiredReason: text("retired_reason"),
      createdAt: bigint("created_at").notNull(),
      updatedAt: bigint("updated_at").notNull(),
    },
    (t) => [
      uniqueIndex("appliances_list").on(t.partnerId, t.seq),
      index("appliances_property").on(t.propertyId, t.seq),
      index("appliances_serial").on(t.propertyId, t.serial, t.seq).where(isNotNull(t.serial)),
      index("appliances_search_serial")
        .on(t.partnerId, lowerCaseSql(t.serial), t.seq)
        .where(sql`${t.serial} is not null and ${t.seq} > 0`),
      index("appliances_unit").on(t.unitId).where(isNotNull(t.unitId)),
      index("appliances_retiring").on(t.retiredAt).where(sql`${t.retiredAt} is not null and ${t.seq} > 0`),
      index("appliances_partner_serial").on(t.partnerId, t.serial, t.seq).where(isNotNull(t.serial)),
    ],
  );

  const components = table(
    "components",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id").notNull(),
      applianceId: text("appliance_id")
        .notNull()
        .references(() => appliances.id),
      seq: int("seq").notNull(),
      defId: text("def_id").notNull(),
      installYear: int("install_year").notNull(),
      installYearGiven: bool("install_year_given").notNull().default(false),
      lastReplaced: text("last_replaced"),
      lastServiced: text("last_serviced"),
      overrideLifespan: int("override_lifespan"),
      /** The owner's costs of replacing it as planned and after a failure; null for those of the cost book. */
      ownPlannedCents: bigint("own_planned_cents"),
      ownFailedCents: bigint("own_failed_cents"),
      /** An inspector's finding about the time before the record; null without one. */
      past: oneOf("past", ["original", "unknown"]),
      /** Hundredths, 0 to 99. */
      riskScore: int("risk_score").notNull(),
      riskTier: oneOf("risk_tier", ["GOOD", "WARNING", "CRITICAL"]).notNull(),
      confidence: oneOf("confidence", SCORE_CONFIDENCES).notNull(),
      announcedTier: oneOf("announced_tier", ["GOOD", "WARNING", "CRITICAL"]).notNull(),
      /**
       * The rest of the score: what a projection needs without the history (docs/model/scoring.md#failure-probability).
       */
      lifeFactor: real("life_factor").notNull().default(1),
      effectiveAgeYears: real("effective_age_years").notNull(),
      rate: real("rate").notNull(),
      hazardRatio: real("hazard_ratio").notNull(),
      acuteHazard: real("acute_hazard").notNull(),
      scoredOn: text("scored_on").notNull(),
      /** The score of the newest trend row; null before the first snapshot. */
      trendScore: int("trend_score"),
      /** The instant of the last scoring outside of a snapshot; null if the latest snapshot scored it. */
      rescoredAt: bigint("rescored_at"),
      createdAt: bigint("created_at").notNull(),
      /** In cents: the expected cost of a failure within 12 months; 0 below WARNING. */
      expectedCostCents: bigint("expected_cost_cents").notNull().default(0),
      /** Copied from the type and the property, to filter alerts. */
      system: text("system").notNull().default(""),
      state: text("state").notNull().default(""),
    },
    (t) => [
      uniqueIndex("components_list").on(t.partnerId, t.seq),
      index("components_score").on(t.partnerId, t.riskScore, t.seq),
      index("components_tier").on(t.partnerId, t.riskTier, t.seq),
      index("components_system")
        .on(t.partnerId, t.system, sql`${t.riskScore} desc`, t.seq)
        .where(isElevatedScoreSql(t.riskScore)),
      index("components_state")
        .on(t.partnerId, t.state, sql`${t.riskScore} desc`, t.seq, t.system)
        .where(isElevatedScoreSql(t.riskScore)),
      index("components_cost")
        .on(t.partnerId, sql`${t.expectedCostCents} desc`, t.seq, t.riskScore, t.system, t.state)
        .where(isElevatedScoreSql(t.riskScore)),
      index("components_property").on(t.propertyId, t.seq),
      index("components_appliance").on(t.applianceId, t.seq),
      index("components_settled")
        .on(t.partnerId, t.seq)
        .where(sql`${t.rescoredAt} is null and ${isElevatedScoreSql(t.riskScore)}`),
      index("components_rescored")
        .on(t.partnerId, t.rescoredAt, t.seq)
        .where(sql`${t.rescoredAt} is not null and ${isElevatedScoreSql(t.riskScore)}`),
    ],
  );

  /**
   * How many components of a partner are in a bucket (a score in hundredths, or one of the tiers), by blocks of
   * 2,048 consecutive `seq`; block -1 is the whole. Finds the row at any offset of a filtered list in a few steps.
   */
  const componentCounters = table(
    "component_counters",
    {
      partnerId: text("partner_id").notNull(),
      bucket: int("bucket").notNull(),
      block: int("block").notNull(),
      count: int("count").notNull(),
    },
    (t) => [primaryKey({ columns: [t.partnerId, t.bucket, t.block] })],
  );

  const totals = {
    appliances: int("appliances").notNull().default(0),
    components: int("components").notNull().default(0),
    serviceEvents: int("service_events").notNull().default(0),
    critical: int("critical").notNull().default(0),
    warning: int("warning").notNull().default(0),
    criticalProactiveCents: bigint("critical_proactive_cents").notNull().default(0),
    warningProactiveCents: bigint("warning_proactive_cents").notNull().default(0),
    criticalReactiveCents: bigint("critical_reactive_cents").notNull().default(0),
    warningReactiveCents: bigint("warning_reactive_cents").notNull().default(0),
  };

  /** Sums over a property's components, updated by each write that changes one. */
  const propertyTotals = table(
    "property_totals",
    {
      propertyId: text("property_id")
        .primaryKey()
        .references(() => properties.id),
      partnerId: text("partner_id").notNull(),
      ...totals,
      /** Replacement cost value of the appliances. */
      rcvCents: bigint("rcv_cents").notNull().default(0),
      /** The cost of what is due now. */
      dueCents: bigint("due_cents").notNull().default(0),
      /** The number of CRITICAL components of life-safety and conveyance systems. */
      vitalCritical: int("vital_critical").notNull().default(0),
      /** True if it has components without a snapshot, whose `trendScore` is null. */
      hasUnseen: bool("has_unseen").notNull().default(false),
    },
    (t) => [
      index("property_totals_partner").on(t.partnerId),
      index("property_totals_unseen").on(t.propertyId).where(isTrue(t.hasUnseen)),
    ],
  );

  /** Sums over a partner's portfolio. The counts also give the next `seq`. */
  const partnerTotals = table("partner_totals", {
    partnerId: text("partner_id")
      .primaryKey()
      .references(() => partners.id),
    properties: int("properties").notNull().default(0),
    events: int("events").notNull().default(0),
    ...totals,
    photoBytes: bigint("photo_bytes").notNull().default(0),
    /** The rows of each list that are retired. */
    retiredProperties: int("retired_properties").notNull().default(0),
    retiredAppliances: int("retired_appliances").notNull().default(0),
    retiredComponents: int("retired_components").notNull().default(0),
  });

  /**
   * How many appliances have a flag of a code, by property; the property "" is the whole portfolio. A row may count none.
   */
  const flagCounts = table(
    "flag_counts",
    {
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id").notNull(),
      code: text("code").notNull(),
      known: int("known").notNull().default(0),
      suspected: int("suspected").notNull().default(0),
      /** The properties with such an appliance: 1 or 0 for a property. */
      properties: int("properties").notNull().default(0),
    },
    (t) => [primaryKey({ columns: [t.partnerId, t.propertyId, t.code] })],
  );

  /** The sums of plans over a property or a portfolio. */
  const planSums = {
    /** `PlanSums` as JSON but for the products of years; empty before they were computed. */
    sums: text("sums").notNull().default(""),
    /** The products of years as JSON: most of the sums, and needed for deposits only. */
    products: text("products").notNull().default(""),
    /** `AssumptionCounts` as JSON; empty before they were counted. */
    counted: text("counted").notNull().default(""),
    // The sums of plans without whole units, which only older versions read and write.
    doors: int("doors").notNull().default(0),
    dueCount: int("due_count").notNull().default(0),
    dueCents: bigint("due_cents").notNull().default(0),
    dueWaitingCents: bigint("due_waiting_cents").notNull().default(0),
    years: text("years").notNull(),
  };

  /** A property's plan. Its inputs change often, so it is computed after a snapshot and when it is requested. */
  const propertyPlans = table(
    "property_plans",
    {
      propertyId: text("property_id")
        .primaryKey()
        .references(() => properties.id),
      partnerId: text("partner_id").notNull(),
      /** The number of changes of its inputs. */
      changes: int("changes").notNull(),
      /** The value of `changes` when it was computed; the plan is outdated if they differ. */
      plannedChanges: int("planned_changes").notNull(),
      /** The day on which it was computed; empty before. */
      asOf: text("as_of").notNull(),
      ...planSums,
      /** The amount that lists are sorted by (`delayRankCents`); null for a retired property, which no list has. */
      waitingCents: bigint("waiting_cents").default(Number.MIN_SAFE_INTEGER),
    },
    (t) => [
      index("property_plans_as_of").on(t.partnerId, t.asOf),
      index("property_plans_waiting").on(t.partnerId, sql`${t.waitingCents} desc`, t.propertyId),
      index("property_plans_changed").on(t.partnerId).where(sql`${t.changes} <> ${t.plannedChanges}`),
    ],
  );

  /** The sums over a partner's stored property plans. */
  const partnerPlans = table("partner_plans", {
    partnerId: text("partner_id")
      .primaryKey()
      .references(() => partners.id),
    ...planSums,
  });

  /** Units and parts whose replacement costs less than waiting, or is urgent: the candidates for a budget. */
  const planCandidates = table(
    "plan_candidates",
    {
      propertyId: text("property_id").notNull(),
      /** The ID of the component, or of the appliance that is replaced as a whole. */
      componentId: text("component_id").notNull(),
      partnerId: text("partner_id").notNull(),
      /** Minus the cost of waiting a year per cent of the cost, so that the best use of money sorts first. */
      rank: real("rank").notNull(),
      plannedCents: bigint("planned_cents").notNull(),
      waitingCents: bigint("waiting_cents").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.propertyId, t.componentId] }),
      index("plan_candidates_rank").on(t.partnerId, t.rank, t.componentId, t.plannedCents, t.waitingCents),
    ],
  );

  /** The actions on components, and on appliances as a whole, of the stored plans of properties. */
  const planActions = table(
    "plan_actions",
    {
      propertyId: text("property_id").notNull(),
      /** The ID of the component, or of the appliance as a whole. */
      subjectId: text("subject_id").notNull(),
      partnerId: text("partner_id").notNull(),
      applianceId: text("appliance_id").notNull(),
      action: text("action").notNull(),
      system: text("system").notNull(),
      state: text("state").notNull(),
      tier: text("tier").notNull(),
      /** The due day; empty for what does not wait for one. */
      dueOn: text("due_on").notNull(),
      plannedCents: bigint("planned_cents").notNull(),
      waitingCents: bigint("waiting_cents").notNull(),
      expectedCents: bigint("expected_cents").notNull(),
      /** Copied from the mark on the work; empty without one. */
      workState: text("work_state").notNull(),
      workUntil: text("work_until").notNull(),
    },
    (t) => {
      const filters = [
        t.subjectId,
        t.propertyId,
        t.applianceId,
        t.action,
        t.system,
        t.state,
        t.tier,
        t.dueOn,
        t.workState,
        t.workUntil,
        t.plannedCents,
      ] as const;
      return [
        primaryKey({ columns: [t.propertyId, t.subjectId] }),
        index("plan_actions_waiting").on(
          t.partnerId,
          sql`${t.waitingCents} desc`,
          ...filters,
          t.expectedCents,
        ),
        index("plan_actions_expected").on(
          t.partnerId,
          sql`${t.expectedCents} desc`,
          ...filters,
          t.waitingCents,
        ),
      ];
    },
  );

  /** Filters of lists that partners have saved under names. */
  const savedFilters = table(
    "saved_filters",
    {
      partnerId: text("partner_id")
        .notNull()
        .references(() => partners.id),
      name: text("name").notNull(),
      query: text("query").notNull(),
      savedAt: bigint("saved_at").notNull(),
    },
    (t) => [primaryKey({ columns: [t.partnerId, t.name] })],
  );

  /**
   * How properties stand among their portfolio and the book: the number of others, and how many of them have lower amounts per
   * unit. A row is as old as its day.
   */
  const propertyStandings = table(
    "property_standings",
    {
      propertyId: text("property_id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      /** The day of the snapshot that was compared. */
      day: text("day").notNull(),
      portfolioOthers: int("portfolio_others").notNull(),
      portfolioLowerExpected: int("portfolio_lower_expected").notNull(),
      portfolioLowerDamage: int("portfolio_lower_damage").notNull(),
      bookOthers: int("book_others").notNull(),
      bookLowerExpected: int("book_lower_expected").notNull(),
      bookLowerDamage: int("book_lower_damage").notNull(),
    },
    (t) => [index("property_standings_day").on(t.partnerId, t.day)],
  );

  /** Work that somebody has ordered or deferred. Work without a row is open. */
  const workStates = table(
    "work_states",
    {
      /** The ID of the component, or of the appliance as a whole. */
      subjectId: text("subject_id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id").notNull(),
      applianceId: text("appliance_id").notNull(),
      componentId: text("component_id"),
      state: oneOf("state", WORK_STATES).notNull(),
      /** The day until which it is deferred. */
      until: text("until"),
      by: text("marked_by").notNull(),
      reason: text("reason"),
      markedAt: bigint("marked_at").notNull(),
      /** The service event that did the work, which ended the mark; null for one that holds. */
      endedBy: text("ended_by"),
    },
    (t) => [
      index("work_states_property").on(t.propertyId, t.subjectId),
      index("work_states_ended").on(t.endedBy).where(sql`${t.endedBy} is not null`),
    ],
  );

  const serviceEvents = table(
    "service_events",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id").notNull(),
      applianceId: text("appliance_id")
        .notNull()
        .references(() => appliances.id),
      componentId: text("component_id").references(() => components.id),
      eventType: text("event_type").notNull(),
      date: text("date").notNull(),
      partsCostCents: bigint("parts_cost_cents"),
      laborCostCents: bigint("labor_cost_cents"),
      totalCostCents: bigint("total_cost_cents"),
      technician: text("technician"),
      notes: text("notes"),
      conditionAfter: oneOf("condition_after", [...CONDITIONS]),
      /** The condition as a number on a scale of the inspector's; null without one. */
      conditionScore: json<ConditionScore>("condition_score"),
      createdAt: bigint("created_at").notNull(),
      /** A digest of the note; null without one. */
      noteKey: text("note_key"),
      /** The findings of the note: word groups, with `/2` after those that count half. */
      findings: text("findings"),
      /** The inspection types that the note names, separated by spaces. */
      notedInspections: text("noted_inspections"),
      /** The version of the rules that the note was analyzed with. */
      readBy: text("read_by"),
      /** The known hazards that the note names, with the marks of a note of units, separated by spaces; null without any. */
      hazards: text("hazards"),
      /** The inspection types that the event names; null without any. */
      inspectionTypes: json<readonly string[]>("inspection_types"),
      /** The instant at which it was voided: since then it no longer counts. */
      voidedAt: bigint("voided_at"),
      voidReason: text("void_reason"),
    },
    (t) => [
      // Voided events are skipped in it, however many there are.
      index("service_events_appliance").on(t.applianceId, t.date, t.id, t.voidedAt),
      index("service_events_poor")
        .on(t.applianceId)
        .where(sql`${t.conditionAfter} = 'poor' and ${t.voidedAt} is null`),
      index("service_events_replacements")
        .on(t.applianceId, t.date, t.componentId, t.id, t.voidedAt)
        .where(sql`${t.eventType} = 'Replacement'`),
    ],
  );

  /** Meter readings (`meter`) and smart events (`smart`). */
  const sensorEvents = table(
    "sensor_events",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id").notNull(),
      applianceId: text("appliance_id")
        .notNull()
        .references(() => appliances.id),
      componentId: text("component_id").references(() => components.id),
      kind: oneOf("kind", ["meter", "smart"]).notNull(),
      eventType: text("event_type"),
      severity: oneOf("severity", ["low", "medium", "high", "critical"]),
      sensorId: text("sensor_id"),
      metric: text("metric"),
      value: real("value"),
      unit: text("unit"),
      notes: text("notes"),
      recordedAt: bigint("recorded_at").notNull(),
      createdAt: bigint("created_at").notNull(),
    },
    (t) => [
      index("sensor_events_smart").on(t.applianceId, t.recordedAt, t.id).where(sql`${t.kind} = 'smart'`),
      index("sensor_events_meter").on(t.applianceId).where(sql`${t.kind} = 'meter'`),
    ],
  );

  const claims = table(
    "claims",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id")
        .notNull()
        .references(() => properties.id),
      claimType: text("claim_type").notNull(),
      dateOfLoss: text("date_of_loss").notNull(),
      claimNumber: text("claim_number"),
      carrier: text("carrier"),
      amountCents: bigint("amount_cents").notNull(),
      description: text("description"),
      status: oneOf("status", ["open", "closed", "denied"]).notNull(),
      paidCents: bigint("paid_cents"),
      outstandingCents: bigint("outstanding_cents"),
      deductibleCents: bigint("deductible_cents"),
      /** Allocated loss adjustment expenses. */
      alaeCents: bigint("alae_cents"),
      catastropheCode: text("catastrophe_code"),
      reportedOn: text("reported_on"),
      closedOn: text("closed_on"),
      /** The day of the amounts. */
      valuedAt: text("valued_at"),
      /** The instant at which it was voided: since then it no longer counts. */
      voidedAt: bigint("voided_at"),
      voidReason: text("void_reason"),
      createdAt: bigint("created_at").notNull(),
    },
    (t) => [
      index("claims_property").on(t.propertyId, t.dateOfLoss, t.id),
      index("claims_number").on(t.propertyId, t.claimNumber, t.id).where(isNotNull(t.claimNumber)),
      index("claims_search_number")
        .on(t.partnerId, lowerCaseSql(t.claimNumber), t.id)
        .where(isNotNull(t.claimNumber)),
    ],
  );

  /** The lines of partners' cost books. An empty `componentDefId` or `state` is null: the whole unit, all states. */
  const costLines = table(
    "cost_lines",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id")
        .notNull()
        .references(() => partners.id),
      /** The place in the book, from 0. */
      position: int("position").notNull(),
      typeId: text("type_id").notNull(),
      componentDefId: text("component_def_id"),
      state: text("state"),
      plannedCents: bigint("planned_cents"),
      failedCents: bigint("failed_cents"),
      /** The size that the costs are of, in the unit of the type; null if they hold for any. */
      size: real("size"),
      asOf: text("as_of").notNull(),
      source: oneOf("source", ["own", "history"]).notNull(),
      createdAt: bigint("created_at").notNull(),
    },
    (t) => [uniqueIndex("cost_lines_book").on(t.partnerId, t.position)],
  );

  /** Partners whose stored sums are being recalculated by changed prices, in steps that continue after a restart. */
  const recalculations = table("recalculations", {
    partnerId: text("partner_id")
      .primaryKey()
      .references(() => partners.id),
    /** Raised by each request; a run that sees another number at its end starts again. */
    requests: int("requests").notNull(),
    /** The number of the last property whose sums are recalculated; 0 at the start. */
    doneSeq: int("done_seq").notNull(),
    requestedAt: bigint("requested_at").notNull(),
  });

  /** One row: a digest of what prices follow from beside cost books, by which the stored sums were calculated. */
  const priceBasis = table("price_basis", {
    id: int("id").primaryKey(),
    basis: text("basis").notNull(),
  });

  const photos = table(
    "photos",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      applianceId: text("appliance_id")
        .notNull()
        .references(() => appliances.id),
      serviceEventId: text("service_event_id").references(() => serviceEvents.id),
      /** The random file name in the `uploads` folder. */
      filename: text("filename").notNull(),
      originalName: text("original_name").notNull(),
      mediaType: oneOf("media_type", ["image/jpeg", "image/png", "image/webp", "image/heic"]).notNull(),
      bytes: int("bytes").notNull(),
      sha256: text("sha256").notNull(),
      uploadedAt: bigint("uploaded_at").notNull(),
    },
    (t) => [
      index("photos_appliance").on(t.applianceId, t.uploadedAt),
      uniqueIndex("photos_filename").on(t.filename),
    ],
  );

  /** A component's trend, run-length encoded: a row for its first snapshot, and for each snapshot with a change. */
  const riskSnapshots = table(
    "risk_snapshots",
    {
      componentId: text("component_id")
        .notNull()
        .references(() => components.id),
      day: text("day").notNull(),
      riskScore: int("risk_score").notNull(),
    },
    (t) => [primaryKey({ columns: [t.componentId, t.day] })],
  );

  /**
   * The sums that the condition of a property follows from, on the first snapshot of a week; the property ""
   * has the sums of the portfolio.
   */
  const conditionTrends = table(
    "condition_trends",
    {
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id").notNull(),
      day: text("day").notNull(),
      properties: int("properties").notNull().default(0),
      dueCents: bigint("due_cents").notNull().default(0),
      valueCents: bigint("value_cents").notNull().default(0),
      expectedCents: bigint("expected_cents").notNull().default(0),
    },
    (t) => [primaryKey({ columns: [t.partnerId, t.propertyId, t.day] })],
  );

  const snapshotCounts = {
    components: int("components").notNull().default(0),
    changed: int("changed").notNull().default(0),
    critical: int("critical").notNull().default(0),
    warning: int("warning").notNull().default(0),
    announced: int("announced").notNull().default(0),
    /** The number of deliveries that it has created. */
    queued: int("queued").notNull().default(0),
    /** The number of tier changes that were not announced because the model had changed. */
    suppressed: int("held_back").notNull().default(0),
  };

  const snapshotRuns = table("snapshot_runs", {
    day: text("day").primaryKey(),
    startedAt: bigint("started_at").notNull(),
    finishedAt: bigint("finished_at"),
    /** The last property that is done, where an interrupted run continues. */
    cursor: text("cursor"),
    ...snapshotCounts,
    /** The version of the model that it scored with. */
    modelVersion: text("model_version").notNull().default("1"),
    /** True if another model had scored the day before; the trends keep that model's points of the day. */
    takenAgain: bool("taken_again").notNull().default(false),
    /** When the properties had been compared with each other by its scores. */
    comparedAt: bigint("compared_at"),
  });

  /** Validation data: the score just before a failure or a replacement. Never deleted. */
  const outcomes = table(
    "outcomes",
    {
      serviceEventId: text("service_event_id")
        .notNull()
        .references(() => serviceEvents.id),
      componentId: text("component_id")
        .notNull()
        .references(() => components.id),
      partnerId: text("partner_id").notNull(),
      defId: text("def_id").notNull(),
      eventType: text("event_type").notNull(),
      date: text("date").notNull(),
      ageYears: real("age_years").notNull(),
      probability: real("probability").notNull(),
      riskScore: int("risk_score").notNull(),
      modelVersion: text("model_version").notNull(),
      createdAt: bigint("created_at").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.serviceEventId, t.componentId] }),
      index("outcomes_component").on(t.componentId),
    ],
  );

  /** The history part of the event stream, in the order of its strictly increasing instants. */
  const eventLog = table(
    "event_log",
    {
      partnerId: text("partner_id").notNull(),
      seq: int("seq").notNull(),
      createdAt: bigint("created_at").notNull(),
      kind: oneOf("kind", ["property", "appliance", "service_event"]).notNull(),
      subjectId: text("subject_id").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.partnerId, t.seq] }),
      uniqueIndex("event_log_since").on(t.partnerId, t.createdAt),
    ],
  );

  const webhookDeliveries = table(
    "webhook_deliveries",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id")
        .notNull()
        .references(() => partners.id),
      event: text("event").notNull(),
      /** Deliveries of one component are sent in order. */
      orderKey: text("order_key"),
      /** The id of the request that caused it; null without one, as for a snapshot. */
      requestId: text("request_id"),
      body: text("body").notNull(),
      status: oneOf("status", DELIVERY_STATUSES).notNull(),
      /** The number of all attempts, and of those in the current cycle of three. */
      attempts: int("attempts").notNull().default(0),
      cycleAttempts: int("cycle_attempts").notNull().default(0),
      nextAttemptAt: bigint("next_attempt_at"),
      createdAt: bigint("created_at").notNull(),
      finishedAt: bigint("finished_at"),
      /** The error of the last attempt; null after a success. */
      lastError: text("last_error"),
    },
    (t) => [
      index("webhook_deliveries_due").on(t.partnerId, t.nextAttemptAt).where(sql`${t.status} = 'pending'`),
      index("webhook_deliveries_queue").on(t.partnerId, t.status, t.id).where(sql`${t.status} = 'pending'`),
      index("webhook_deliveries_order")
        .on(t.orderKey, t.id)
        .where(sql`${t.status} = 'pending' and ${t.orderKey} is not null`),
      index("webhook_deliveries_partner").on(t.partnerId, t.id, t.status),
      index("webhook_deliveries_partner_event").on(t.partnerId, t.event, t.id, t.status),
      index("webhook_deliveries_event").on(t.event, t.id),
      index("webhook_deliveries_failed").on(t.partnerId, t.status, t.id).where(sql`${t.status} = 'failed'`),
      index("webhook_deliveries_errors")
        .on(t.partnerId, t.status, sql`coalesce(${t.lastError}, '')`, t.id)
        .where(sql`${t.status} = 'failed'`),
      index("webhook_deliveries_finished").on(t.status, t.finishedAt).where(isNotNull(t.finishedAt)),
    ],
  );

  const webhookAttempts = table(
    "webhook_attempts",
    {
      deliveryId: text("delivery_id")
        .notNull()
        .references(() => webhookDeliveries.id),
      /** Numbered over all cycles and probes. */
      attempt: int("attempt").notNull(),
      startedAt: bigint("started_at").notNull(),
      durationMs: int("duration_ms").notNull(),
      statusCode: int("status_code"),
      error: text("error"),
      /** The IP address of the connection. */
      address: text("address"),
      responseHead: text("response_head").notNull(),
    },
    (t) => [primaryKey({ columns: [t.deliveryId, t.attempt] })],
  );

  const idempotencyKeys = table(
    "idempotency_keys",
    {
      partnerId: text("partner_id").notNull(),
      /** Method and path. */
      operation: text("operation").notNull(),
      key: text("key").notNull(),
      requestHash: text("request_hash").notNull(),
      statusCode: int("status_code").notNull(),
      body: text("body").notNull(),
      createdAt: bigint("created_at").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.partnerId, t.operation, t.key] }),
      index("idempotency_keys_age").on(t.createdAt),
    ],
  );

  const dailyBudgets = table(
    "daily_budgets",
    {
      partnerId: text("partner_id").notNull(),
      day: text("day").notNull(),
      /** The calls that are taken from the daily limit, including those that a running server has reserved. */
      calls: int("calls").notNull(),
    },
    (t) => [primaryKey({ columns: [t.partnerId, t.day] })],
  );

  const embeds = table(
    "embeds",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      propertyId: text("property_id")
        .notNull()
        .references(() => properties.id),
      tokenHash: text("token_hash").notNull(),
      createdAt: bigint("created_at").notNull(),
      revokedAt: bigint("revoked_at"),
      /** The instant at which it expires; null for never. */
      expiresAt: bigint("expires_at"),
      views: int("views").notNull().default(0),
      lastViewedAt: bigint("last_viewed_at"),
      label: text("label"),
      recipient: text("recipient"),
      passcodeHash: text("passcode_hash"),
      /** The latest views, newest first. */
      recentViews: json<EmbedView[]>("recent_views"),
    },
    (t) => [
      uniqueIndex("embeds_token").on(t.tokenHash),
      index("embeds_property").on(t.propertyId),
      index("embeds_partner").on(t.partnerId, t.id),
    ],
  );

  /** How a partner's embeds look; none without a row. Colors are `#rrggbb`. */
  const partnerBrands = table("partner_brands", {
    partnerId: text("partner_id")
      .primaryKey()
      .references(() => partners.id),
    displayName: text("display_name"),
    color: text("color"),
    colorDark: text("color_dark"),
    /** A PNG image, with its size in pixels. */
    logo: bytes("logo"),
    logoWidth: int("logo_width"),
    logoHeight: int("logo_height"),
  });

  /**
   * Models calibrated to the operator's outcomes. Never changed or deleted, since scores and outcomes refer to them.
   */
  const modelVersions = table("model_versions", {
    number: int("number").primaryKey(),
    /** The model of the executable that it corrects: 3 of 3+local.1. */
    base: text("base").notNull(),
    createdAt: bigint("created_at").notNull(),
    actor: text("actor").notNull(),
    isProven: bool("is_proven").notNull(),
    /** The version in use before, which a revert restores; null for the base model. */
    replaced: int("replaced").references((): AnySQLiteColumn => modelVersions.number),
    corrections: json<StoredCorrections>("corrections").notNull(),
    evidence: json<Record<string, unknown>>("evidence").notNull(),
  });

  /** The frailties of appliances, each estimated from the appliance's service record. */
  const modelFrailties = table(
    "model_frailties",
    {
      applianceId: text("appliance_id")
        .notNull()
        .references(() => appliances.id),
      number: int("number").notNull(),
      frailty: real("frailty").notNull(),
    },
    (t) => [primaryKey({ columns: [t.applianceId, t.number] })],
  );

  /** One row: the version that scores are computed with; null for the base model. */
  const modelInUse = table("model_in_use", {
    id: int("id").primaryKey(),
    number: int("number").references(() => modelVersions.number),
  });

  /** The stored calibration that is not active: at most one row. Its frailties are stored under its number. */
  const modelProposals = table("model_proposals", {
    id: int("id").primaryKey(),
    number: int("number").notNull(),
    base: text("base").notNull(),
    madeAt: bigint("made_at").notNull(),
    isProven: bool("is_proven").notNull(),
    corrections: json<StoredCorrections>("corrections").notNull(),
    evidence: json<Record<string, unknown>>("evidence").notNull(),
  });

  /** The latest calibration that was requested: at most one row. */
  const latestCalibration = table("latest_calibration", {
    id: int("id").primaryKey(),
    status: oneOf("status", ["running", "failed", "ready", "applied"]).notNull(),
    /** The requester, for people; null if the calibration that was activated is older than these records. */
    requestedBy: text("requested_by"),
    actor: text("actor"),
    startedAt: bigint("started_at"),
    finishedAt: bigint("finished_at"),
    error: text("error"),
    /** The proposal that it has stored; null if it was activated at once. */
    proposalId: text("proposal_id"),
    /** The version that its result is or would be. */
    modelVersion: text("model_version"),
    /** The version that was activated since it started, which may be an older calibration's. */
    activatedVersion: text("activated_version"),
  });

  /** The latest checks whether the model in use still forecasts better than the base model. */
  const modelChecks = table("model_checks", {
    day: text("day").primaryKey(),
    version: text("version").notNull(),
    isWorse: bool("is_worse").notNull(),
    evidence: json<Record<string, unknown>>("evidence").notNull(),
  });

  /** Every change by an operator or administrator; rows are only ever added. */
  const auditLog = table(
    "audit_log",
    {
      seq: identity("seq"),
      at: bigint("at").notNull(),
      actor: text("actor").notNull(),
      action: text("action").notNull(),
      subject: text("subject").notNull(),
      detail: json<Record<string, unknown>>("detail").notNull(),
      /** The partner that the entry names; null for one about the installation. */
      partnerId: text("partner_id"),
    },
    (t) => [
      index("audit_log_subject").on(t.subject, t.at, t.seq),
      index("audit_log_time").on(t.at, t.seq),
      index("audit_log_partner").on(t.partnerId, t.at, t.seq).where(isNotNull(t.partnerId)),
      index("audit_log_actor").on(t.actor, t.at, t.seq),
      index("audit_log_action").on(t.action, t.at, t.seq),
    ],
  );

  /** The values of partners in entries of the audit log, which keeps none of a purged partner. */
  const correctionValues = table(
    "correction_values",
    {
      /** The key of the entry. */
      seq: bigint("seq").primaryKey(),
      partnerId: text("partner_id")
        .notNull()
        .references(() => partners.id),
      detail: json<Record<string, unknown>>("detail").notNull(),
    },
    (t) => [index("correction_values_partner").on(t.partnerId)],
  );

  /** One row: the latest instant of any row, so that the next is later whatever the machine's clock is. */
  const clock = table("clock", {
    id: int("id").primaryKey(),
    lastInstant: bigint("last_instant").notNull(),
    /** Written by the health check, to prove that writing works. */
    probedAt: bigint("probed_at").notNull(),
  });

  /**
   * The servers that share this database, each for itself. Instants are by the database's clock, here and in leases.
   */
  const servers = table(
    "servers",
    {
      /** Identifies the process: a restarted server has another. */
      id: text("id").primaryKey(),
      address: text("address").notNull(),
      version: text("version").notNull(),
      /** The newest migration that it knows. */
      schemaVersion: int("schema_version").notNull(),
      model: text("model").notNull(),
      startedAt: bigint("started_at").notNull(),
      seenAt: bigint("seen_at").notNull(),
      /** Its own clock minus the database's. */
      clockOffMs: bigint("clock_off_ms").notNull(),
    },
    (t) => [index("servers_seen").on(t.seenAt)],
  );

  /** Work that one server at a time may do. The holder confirms its lease in each transaction that does the work. */
  const leases = table(
    "leases",
    {
      name: text("name").primaryKey(),
      holder: text("holder").notNull(),
      /** Raised whenever the holder changes, so that late writes of an earlier holder are recognized. */
      epoch: bigint("epoch").notNull(),
      expiresAt: bigint("expires_at").notNull(),
      /** The latest scheduled time of a job that was run under it; 0 for leases of other things. */
      scheduledFor: bigint("scheduled_for").notNull().default(0),
    },
    (t) => [index("leases_holder").on(t.holder)],
  );

  /**
   * Locks that any process on this database may hold, a server or a command. `expires_at` is by the database's clock.
   */
  const locks = table(
    "locks",
    {
      name: text("name").primaryKey(),
      /** Identifies the acquisition: a process that acquires the lock again has another. */
      id: text("id").notNull(),
      /** A description of the holder for people. */
      owner: text("owner").notNull(),
      acquiredAt: bigint("acquired_at").notNull(),
      expiresAt: bigint("expires_at").notNull(),
    },
    (t) => [uniqueIndex("locks_id").on(t.id)],
  );

  /** A partner's part of a day's snapshot that several servers take together. */
  const snapshotShares = table(
    "snapshot_shares",
    {
      day: text("day").notNull(),
      partnerId: text("partner_id").notNull(),
      /** The last property that is done. */
      cursor: text("cursor").notNull().default(""),
      isDone: bool("is_done").notNull().default(false),
      ...snapshotCounts,
    },
    (t) => [primaryKey({ columns: [t.day, t.partnerId] })],
  );

  /** Calls in the last minute, where several servers count them: JSON, read only by the code that counts. */
  const rateWindows = table("rate_windows", {
    /** `partner` with its id, or a listener's name with the address of a caller. */
    caller: text("caller").primaryKey(),
    slots: text("slots").notNull(),
  });

  /**
   * Positions of clients that page through the event stream, where the next page may be requested from another server.
   */
  const feedCursors = table(
    "feed_cursors",
    {
      id: text("id").primaryKey(),
      partnerId: text("partner_id").notNull(),
      /** The start of the period and the page size. */
      client: text("client").notNull(),
      /** JSON, read only by the code that pages. */
      state: text("state").notNull(),
      touchedAt: bigint("touched_at").notNull(),
    },
    (t) => [
      index("feed_cursors_client").on(t.partnerId, t.client, t.touchedAt),
      index("feed_cursors_touched").on(t.touchedAt),
    ],
  );

  /** The sessions of the console, if several servers serve it. */
  const consoleSessions = table(
    "console_sessions",
    {
      tokenHash: text("token_hash").primaryKey(),
      keyHash: text("key_hash").notNull(),
      csrfToken: text("csrf_token").notNull(),
      expiresAt: bigint("expires_at").notNull(),
    },
    (t) => [index("console_sessions_expiry").on(t.expiresAt)],
  );

  /** Pictures, if servers do not share a folder. */
  const uploads = table(
    "uploads",
    {
      filename: text("filename").primaryKey(),
      bytes: bytes("bytes").notNull(),
      writtenAt: bigint("written_at").notNull(),
    },
    (t) => [index("uploads_written").on(t.writtenAt)],
  );

  /** One row: the check value of the key, which all servers must have. */
  const installation = table("installation", {
    id: int("id").primaryKey(),
    keyCheck: text("key_check").notNull(),
  });

  return {
    partners,
    credentials,
    administrators,
    webhookEndpoints,
    properties,
    units,
    appliances,
    components,
    componentCounters,
    propertyTotals,
    partnerTotals,
    flagCounts,
    propertyPlans,
    partnerPlans,
    planCandidates,
    planActions,
    savedFilters,
    propertyStandings,
    workStates,
    serviceEvents,
    sensorEvents,
    claims,
    costLines,
    recalculations,
    priceBasis,
    photos,
    riskSnapshots,
    conditionTrends,
    snapshotRuns,
    outcomes,
    eventLog,
    webhookDeliveries,
    webhookAttempts,
    idempotencyKeys,
    dailyBudgets,
    embeds,
    partnerBrands,
    modelVersions,
    modelFrailties,
    modelInUse,
    modelProposals,
    latestCalibration,
    modelChecks,
    auditLog,
    correctionValues,
    clock,
    servers,
    leases,
    locks,
    snapshotShares,
    rateWindows,
    feedCursors,
    consoleSessions,
    uploads,
    installation,
  };
}

export type Tables = ReturnType<typeof defineStoreTables>;
