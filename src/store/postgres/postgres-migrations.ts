import initial from "../../../migrations/postgres/0001_initial.sql" with { type: "text" };
import modelProposals from "../../../migrations/postgres/0002_model_proposals.sql" with { type: "text" };
import unseenProperties from "../../../migrations/postgres/0003_unseen_properties.sql" with { type: "text" };
import eventOrder from "../../../migrations/postgres/0004_event_order.sql" with { type: "text" };
import readingOrder from "../../../migrations/postgres/0005_reading_order.sql" with { type: "text" };
import roomOnPages from "../../../migrations/postgres/0006_room_on_pages.sql" with { type: "text" };
import locks from "../../../migrations/postgres/0007_locks.sql" with { type: "text" };
import latestCalibration from "../../../migrations/postgres/0008_latest_calibration.sql" with {
  type: "text",
};
import installYearBasis from "../../../migrations/postgres/0009_install_year_basis.sql" with { type: "text" };
import photoBytes from "../../../migrations/postgres/0010_photo_bytes.sql" with { type: "text" };
import costBook from "../../../migrations/postgres/0011_cost_book.sql" with { type: "text" };
import corrections from "../../../migrations/postgres/0012_corrections.sql" with { type: "text" };
import costs from "../../../migrations/postgres/0013_costs.sql" with { type: "text" };
import hazardFlags from "../../../migrations/postgres/0014_hazard_flags.sql" with { type: "text" };
import unitPlans from "../../../migrations/postgres/0015_unit_plans.sql" with { type: "text" };
import embedDetails from "../../../migrations/postgres/0016_embed_details.sql" with { type: "text" };
import retirement from "../../../migrations/postgres/0017_retirement.sql" with { type: "text" };
import correctionValues from "../../../migrations/postgres/0018_correction_values.sql" with { type: "text" };
import partnerBrands from "../../../migrations/postgres/0019_partner_brands.sql" with { type: "text" };
import expectedCosts from "../../../migrations/postgres/0020_expected_costs.sql" with { type: "text" };
import duplicates from "../../../migrations/postgres/0021_duplicates.sql" with { type: "text" };
import workStates from "../../../migrations/postgres/0022_work_states.sql" with { type: "text" };
import conditionScores from "../../../migrations/postgres/0023_condition_scores.sql" with { type: "text" };
import dueCosts from "../../../migrations/postgres/0024_due_costs.sql" with { type: "text" };
import planActions from "../../../migrations/postgres/0025_plan_actions.sql" with { type: "text" };
import search from "../../../migrations/postgres/0026_search.sql" with { type: "text" };
import savedFilters from "../../../migrations/postgres/0027_saved_filters.sql" with { type: "text" };
import propertyStandings from "../../../migrations/postgres/0028_property_standings.sql" with {
  type: "text",
};
import conditionTrends from "../../../migrations/postgres/0029_condition_trends.sql" with { type: "text" };
import unitTimings from "../../../migrations/postgres/0030_unit_timings.sql" with { type: "text" };
import operatorLists from "../../../migrations/postgres/0031_operator_lists.sql" with { type: "text" };
import claimVoids from "../../../migrations/postgres/0032_claim_voids.sql" with { type: "text" };
import planAssumptions from "../../../migrations/postgres/0033_plan_assumptions.sql" with { type: "text" };
import endedWork from "../../../migrations/postgres/0034_ended_work.sql" with { type: "text" };
import waitingPlans from "../../../migrations/postgres/0035_waiting_plans.sql" with { type: "text" };
import auditValues from "../../../migrations/postgres/0036_audit_values.sql" with { type: "text" };
import dueHolds from "../../../migrations/postgres/0037_due_holds.sql" with { type: "text" };
import eventIndexes from "../../../migrations/postgres/0038_event_indexes.sql" with { type: "text" };
import statedYears from "../../../migrations/postgres/0039_stated_years.sql" with { type: "text" };

/** A migration of the schema. Migrations are applied once and in order, and never edited after their release. */
export type PostgresMigration = {
  number: number;
  name: string;
  sql: string;
  /** Older servers are incompatible with it: it is applied only while none of them is running. */
  breaksOlder?: true;
};

/** The migrations in their order. A released one never changes. */
export const POSTGRES_MIGRATIONS: readonly PostgresMigration[] = [
  { number: 1, name: "initial", sql: initial },
  { number: 2, name: "model_proposals", sql: modelProposals },
  // An older server would add components without the mark.
  { number: 3, name: "unseen_properties", sql: unseenProperties, breaksOlder: true },
  { number: 4, name: "event_order", sql: eventOrder },
  { number: 5, name: "reading_order", sql: readingOrder },
  { number: 6, name: "room_on_pages", sql: roomOnPages },
  // An older server would take its locks from leases, where newer ones do not see them.
  { number: 7, name: "locks", sql: locks, breaksOlder: true },
  // An older server would record calibrations in the audit log alone.
  { number: 8, name: "latest_calibration", sql: latestCalibration, breaksOlder: true },
  { number: 9, name: "install_year_basis", sql: installYearBasis },
  // An older server would store photos without counting them.
  { number: 10, name: "photo_bytes", sql: photoBytes, breaksOlder: true },
  // An older server would keep the stored sums by its own prices.
  { number: 11, name: "cost_book", sql: costBook, breaksOlder: true },
  // An older server would count voided events.
  { number: 12, name: "corrections", sql: corrections, breaksOlder: true },
  // An older server would keep the sums without sizes.
  { number: 13, name: "costs", sql: costs, breaksOlder: true },
  // An older server would change appliances without their flags and counts.
  { number: 14, name: "hazard_flags", sql: hazardFlags, breaksOlder: true },
  // An older server would mark plans as computed without the sums that newer ones read.
  { number: 15, name: "unit_plans", sql: unitPlans, breaksOlder: true },
  // An older server would show embeds without asking for their passcodes.
  { number: 16, name: "embed_details", sql: embedDetails, breaksOlder: true },
  // An older server would score retired appliances and count them.
  { number: 17, name: "retirement", sql: retirement, breaksOlder: true },
  // An older server could not purge a partner whose records were corrected.
  { number: 18, name: "correction_values", sql: correctionValues, breaksOlder: true },
  // An older server could not purge a partner with a brand.
  { number: 19, name: "partner_brands", sql: partnerBrands, breaksOlder: true },
  // An older server would store scores without what they are expected to cost.
  { number: 20, name: "expected_costs", sql: expectedCosts, breaksOlder: true },
  { number: 21, name: "duplicates", sql: duplicates },
  // An older server would move appliances and log replacements without the marks on their work, and not purge these.
  { number: 22, name: "work_states", sql: workStates, breaksOlder: true },
  { number: 23, name: "condition_scores", sql: conditionScores },
  // An older server would change appliances without what is due of them.
  { number: 24, name: "due_costs", sql: dueCosts, breaksOlder: true },
  // An older server would renew plans without their actions, and not purge these.
  { number: 25, name: "plan_actions", sql: planActions, breaksOlder: true },
  { number: 26, name: "search", sql: search },
  // An older server could not purge a partner with saved filters.
  { number: 27, name: "saved_filters", sql: savedFilters, breaksOlder: true },
  // An older server would not purge standings.
  { number: 28, name: "property_standings", sql: propertyStandings, breaksOlder: true },
  // An older server would purge a partner without these.
  { number: 29, name: "condition_trends", sql: conditionTrends, breaksOlder: true },
  // An older server would score appliances without when they are due.
  { number: 30, name: "unit_timings", sql: unitTimings, breaksOlder: true },
  { number: 31, name: "operator_lists", sql: operatorLists },
  // An older server would count voided claims.
  { number: 32, name: "claim_voids", sql: claimVoids, breaksOlder: true },
  { number: 33, name: "plan_assumptions", sql: planAssumptions },
  // An older server would show ended marks as those of open work.
  { number: 34, name: "ended_work", sql: endedWork, breaksOlder: true },
  // An older server would retire properties and renew plans without what lists are sorted by.
  { number: 35, name: "waiting_plans", sql: waitingPlans, breaksOlder: true },
  { number: 36, name: "audit_values", sql: auditValues },
  // An older server would change what is due and leave the day until which it holds.
  { number: 37, name: "due_holds", sql: dueHolds, breaksOlder: true },
  { number: 38, name: "event_indexes", sql: eventIndexes },
  // An older server would change years without storing whose they are.
  { number: 39, name: "stated_years", sql: statedYears, breaksOlder: true },
];
