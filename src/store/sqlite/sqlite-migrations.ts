import initial from "../../../migrations/sqlite/0001_initial.sql" with { type: "text" };
import model2 from "../../../migrations/sqlite/0002_model_2.sql" with { type: "text" };
import modelVersions from "../../../migrations/sqlite/0003_model_versions.sql" with { type: "text" };
import partnerRevision from "../../../migrations/sqlite/0004_partner_revision.sql" with { type: "text" };
import plans from "../../../migrations/sqlite/0005_plans.sql" with { type: "text" };
import embeds from "../../../migrations/sqlite/0006_embeds.sql" with { type: "text" };
import takenAgain from "../../../migrations/sqlite/0007_snapshot_taken_again.sql" with { type: "text" };
import queued from "../../../migrations/sqlite/0008_deliveries_queued.sql" with { type: "text" };
import partnersDeliveries from "../../../migrations/sqlite/0009_partners_deliveries.sql" with {
  type: "text",
};
import alertFilters from "../../../migrations/sqlite/0010_alert_filters.sql" with { type: "text" };
import findings from "../../../migrations/sqlite/0011_findings.sql" with { type: "text" };
import servers from "../../../migrations/sqlite/0012_servers.sql" with { type: "text" };
import modelProposals from "../../../migrations/sqlite/0013_model_proposals.sql" with { type: "text" };
import unseenProperties from "../../../migrations/sqlite/0014_unseen_properties.sql" with { type: "text" };
import eventOrder from "../../../migrations/sqlite/0015_event_order.sql" with { type: "text" };
import readingOrder from "../../../migrations/sqlite/0016_reading_order.sql" with { type: "text" };
import locks from "../../../migrations/sqlite/0017_locks.sql" with { type: "text" };
import latestCalibration from "../../../migrations/sqlite/0018_latest_calibration.sql" with { type: "text" };
import installYearBasis from "../../../migrations/sqlite/0019_install_year_basis.sql" with { type: "text" };
import photoBytes from "../../../migrations/sqlite/0020_photo_bytes.sql" with { type: "text" };
import costBook from "../../../migrations/sqlite/0021_cost_book.sql" with { type: "text" };
import corrections from "../../../migrations/sqlite/0022_corrections.sql" with { type: "text" };
import costs from "../../../migrations/sqlite/0023_costs.sql" with { type: "text" };
import hazardFlags from "../../../migrations/sqlite/0024_hazard_flags.sql" with { type: "text" };
import unitPlans from "../../../migrations/sqlite/0025_unit_plans.sql" with { type: "text" };
import embedDetails from "../../../migrations/sqlite/0026_embed_details.sql" with { type: "text" };
import retirement from "../../../migrations/sqlite/0027_retirement.sql" with { type: "text" };
import correctionValues from "../../../migrations/sqlite/0028_correction_values.sql" with { type: "text" };
import partnerBrands from "../../../migrations/sqlite/0029_partner_brands.sql" with { type: "text" };
import expectedCosts from "../../../migrations/sqlite/0030_expected_costs.sql" with { type: "text" };
import duplicates from "../../../migrations/sqlite/0031_duplicates.sql" with { type: "text" };
import workStates from "../../../migrations/sqlite/0032_work_states.sql" with { type: "text" };
import conditionScores from "../../../migrations/sqlite/0033_condition_scores.sql" with { type: "text" };
import dueCosts from "../../../migrations/sqlite/0034_due_costs.sql" with { type: "text" };
import planActions from "../../../migrations/sqlite/0035_plan_actions.sql" with { type: "text" };
import search from "../../../migrations/sqlite/0036_search.sql" with { type: "text" };
import savedFilters from "../../../migrations/sqlite/0037_saved_filters.sql" with { type: "text" };
import propertyStandings from "../../../migrations/sqlite/0038_property_standings.sql" with { type: "text" };
import conditionTrends from "../../../migrations/sqlite/0039_condition_trends.sql" with { type: "text" };
import unitTimings from "../../../migrations/sqlite/0040_unit_timings.sql" with { type: "text" };
import operatorLists from "../../../migrations/sqlite/0041_operator_lists.sql" with { type: "text" };
import claimVoids from "../../../migrations/sqlite/0042_claim_voids.sql" with { type: "text" };
import planAssumptions from "../../../migrations/sqlite/0043_plan_assumptions.sql" with { type: "text" };
import endedWork from "../../../migrations/sqlite/0044_ended_work.sql" with { type: "text" };
import waitingPlans from "../../../migrations/sqlite/0045_waiting_plans.sql" with { type: "text" };
import auditValues from "../../../migrations/sqlite/0046_audit_values.sql" with { type: "text" };
import dueHolds from "../../../migrations/sqlite/0047_due_holds.sql" with { type: "text" };
import eventIndexes from "../../../migrations/sqlite/0048_event_indexes.sql" with { type: "text" };
import statedYears from "../../../migrations/sqlite/0049_stated_years.sql" with { type: "text" };

/** A migration of the schema. Migrations are applied once and in order, and never edited after their release. */
export type SqliteMigration = { number: number; name: string; sql: string };

/** The migrations in their order. A released one never changes. */
export const SQLITE_MIGRATIONS: readonly SqliteMigration[] = [
  { number: 1, name: "initial", sql: initial },
  { number: 2, name: "model_2", sql: model2 },
  { number: 3, name: "model_versions", sql: modelVersions },
  { number: 4, name: "partner_revision", sql: partnerRevision },
  { number: 5, name: "plans", sql: plans },
  { number: 6, name: "embeds", sql: embeds },
  { number: 7, name: "snapshot_taken_again", sql: takenAgain },
  { number: 8, name: "deliveries_queued", sql: queued },
  { number: 9, name: "partners_deliveries", sql: partnersDeliveries },
  { number: 10, name: "alert_filters", sql: alertFilters },
  { number: 11, name: "findings", sql: findings },
  { number: 12, name: "servers", sql: servers },
  { number: 13, name: "model_proposals", sql: modelProposals },
  { number: 14, name: "unseen_properties", sql: unseenProperties },
  { number: 15, name: "event_order", sql: eventOrder },
  { number: 16, name: "reading_order", sql: readingOrder },
  { number: 17, name: "locks", sql: locks },
  { number: 18, name: "latest_calibration", sql: latestCalibration },
  { number: 19, name: "install_year_basis", sql: installYearBasis },
  { number: 20, name: "photo_bytes", sql: photoBytes },
  { number: 21, name: "cost_book", sql: costBook },
  { number: 22, name: "corrections", sql: corrections },
  { number: 23, name: "costs", sql: costs },
  { number: 24, name: "hazard_flags", sql: hazardFlags },
  { number: 25, name: "unit_plans", sql: unitPlans },
  { number: 26, name: "embed_details", sql: embedDetails },
  { number: 27, name: "retirement", sql: retirement },
  { number: 28, name: "correction_values", sql: correctionValues },
  { number: 29, name: "partner_brands", sql: partnerBrands },
  { number: 30, name: "expected_costs", sql: expectedCosts },
  { number: 31, name: "duplicates", sql: duplicates },
  { number: 32, name: "work_states", sql: workStates },
  { number: 33, name: "condition_scores", sql: conditionScores },
  { number: 34, name: "due_costs", sql: dueCosts },
  { number: 35, name: "plan_actions", sql: planActions },
  { number: 36, name: "search", sql: search },
  { number: 37, name: "saved_filters", sql: savedFilters },
  { number: 38, name: "property_standings", sql: propertyStandings },
  { number: 39, name: "condition_trends", sql: conditionTrends },
  { number: 40, name: "unit_timings", sql: unitTimings },
  { number: 41, name: "operator_lists", sql: operatorLists },
  { number: 42, name: "claim_voids", sql: claimVoids },
  { number: 43, name: "plan_assumptions", sql: planAssumptions },
  { number: 44, name: "ended_work", sql: endedWork },
  { number: 45, name: "waiting_plans", sql: waitingPlans },
  { number: 46, name: "audit_values", sql: auditValues },
  { number: 47, name: "due_holds", sql: dueHolds },
  { number: 48, name: "event_indexes", sql: eventIndexes },
  { number: 49, name: "stated_years", sql: statedYears },
];
