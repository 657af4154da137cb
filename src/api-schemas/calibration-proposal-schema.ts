import type { CalibrationProposal } from "../domain/calibration/model-version.ts";
import type { CalibrationJson } from "./calibration-schema.ts";
import { body, optional, required } from "./definition/input-schema.ts";
import { isoOrNull } from "./definition/json-unit-conversion.ts";
import * as constraint from "./definition/schema-constraints.ts";
import { defineConstraint } from "./definition/schema-field-constraint.ts";
import { anyObject, enumOf, flag, instant, object, text, whole } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";
import { fitFields, serializeCalibrationFit } from "./model-schema.ts";

export const modelProposal = object({
  proposal_id: text(
    "ID of the calibration that can be activated: this one when it is ready, or the previous one if this one failed",
    "3-1795230000000",
  ).orNull(),
  status: enumOf(
    ["none", "running", "ready", "failed", "applied"],
    "State of the latest calibration",
    "ready",
  ),
  by: text(
    "Who runs or ran the calibration: a server or a user's command",
    "the server at http://10.0.0.11:8080",
  ).orNull(),
  started_at: instant("When the calibration started").orNull(),
  finished_at: instant("When the calibration finished").orNull(),
  error: text("Why the calibration failed", "no outcome is on record").orNull(),
  model_version: text("Version of the model that was activated", "3+local.1").orNull(),
  made_at: instant("When the kept calibration was completed").orNull(),
  better: flag("Whether it is proven better than the default model").orNull(),
  failures: whole("Recorded failures used for calibration", 460).orNull(),
  lives: whole("Recorded lifetimes used for calibration", 1637).orNull(),
  validation: anyObject<CalibrationJson["validation"]>(
    "Comparison of both models' forecasts of one year with its outcomes",
  ).orNull(),
  fit: object(fitFields).describedAs("The estimated parameters").orNull(),
});
export type ModelProposalJson = JsonOf<typeof modelProposal>;

export const serializeModelProposal = modelProposal.serializer((proposal: CalibrationProposal) => {
  const report = proposal.report as CalibrationJson | null;
  return {
    proposal_id: proposal.id,
    status: proposal.status,
    by: proposal.by,
    started_at: isoOrNull(proposal.startedAt),
    finished_at: isoOrNull(proposal.finishedAt),
    error: proposal.error,
    model_version: proposal.modelVersion,
    made_at: isoOrNull(proposal.madeAt),
    better: report?.better ?? null,
    failures: report?.failures ?? null,
    lives: report?.lives ?? null,
    validation: report?.validation ?? null,
    fit: report ? serializeCalibrationFit(report) : null,
  };
});

export const applyProposal = body({
  proposal_id: required(
    defineConstraint((type) => type("string <= 60").describe("a text of at most 60 characters")),
    "ID of the reviewed calibration",
    "3-1795230000000",
  ),
  force: optional(constraint.flag, "Activate the calibration even if it is not proven better", false),
});

export const revert = body({
  model_version: optional(
    defineConstraint((type) => type("string <= 60").describe("a text of at most 60 characters")),
    "The version to revert; rejected if another version is active",
    "3+local.1",
  ),
});

export const reverted = object({
  reverted: text("The version that was reverted", "3+local.1"),
  model_version: text("The version that is active now", "2"),
});
export const serializeRevertedModel = reverted.serializer(({ from, to }: { from: string; to: string }) => ({
  reverted: from,
  model_version: to,
}));
