import type { CalibrationProposal } from "../domain/calibration/model-version.ts";
import type { CalibrationJson } from "./calibration-schema.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { bodySchema, optionalSchema, requiredSchema } from "./definition/input-schema.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import {
  anyObjectSchema,
  enumSchema,
  flagSchema,
  instantSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { fitFields, serializeCalibrationFit } from "./model-schema.ts";

export const modelProposal = objectSchema({
  proposal_id: textSchema(
    "ID of the calibration that can be activated: this one when it is ready, or the previous one if this one failed",
    "3-1795230000000",
  ).orNull(),
  status: enumSchema(
    ["none", "running", "ready", "failed", "applied"],
    "State of the latest calibration",
    "ready",
  ),
  by: textSchema(
    "Who runs or ran the calibration: a server or a user's command",
    "the server at http://10.0.0.11:8080",
  ).orNull(),
  started_at: instantSchema("When the calibration started").orNull(),
  finished_at: instantSchema("When the calibration finished").orNull(),
  error: textSchema("Why the calibration failed", "no outcome is on record").orNull(),
  model_version: textSchema("Version of the model that was activated", "3+local.1").orNull(),
  made_at: instantSchema("When the kept calibration was completed").orNull(),
  better: flagSchema("Whether it is proven better than the default model").orNull(),
  failures: wholeNumberSchema("Recorded failures used for calibration", 460).orNull(),
  lives: wholeNumberSchema("Recorded lifetimes used for calibration", 1637).orNull(),
  validation: anyObjectSchema<CalibrationJson["validation"]>(
    "Comparison of both models' forecasts of one year with its outcomes",
  ).orNull(),
  fit: objectSchema(fitFields).describedAs("The estimated parameters").orNull(),
});
export type ModelProposalJson = JsonOf<typeof modelProposal>;

export const serializeModelProposal = modelProposal.serializer((proposal: CalibrationProposal) => {
  const report = proposal.report as CalibrationJson | null;
  return {
    proposal_id: proposal.id,
    status: proposal.status,
    by: proposal.by,
    started_at: jsonInstantOrNull(proposal.startedAt),
    finished_at: jsonInstantOrNull(proposal.finishedAt),
    error: proposal.error,
    model_version: proposal.modelVersion,
    made_at: jsonInstantOrNull(proposal.madeAt),
    better: report?.better ?? null,
    failures: report?.failures ?? null,
    lives: report?.lives ?? null,
    validation: report?.validation ?? null,
    fit: report ? serializeCalibrationFit(report) : null,
  };
});

export const applyProposal = bodySchema({
  proposal_id: requiredSchema(
    defineSchemaConstraint((type) => type("string <= 60").describe("a text of at most 60 characters")),
    "ID of the reviewed calibration",
    "3-1795230000000",
  ),
  force: optionalSchema(constraint.flag, "Activate the calibration even if it is not proven better", false),
});

export const revert = bodySchema({
  model_version: optionalSchema(
    defineSchemaConstraint((type) => type("string <= 60").describe("a text of at most 60 characters")),
    "The version to revert; rejected if another version is active",
    "3+local.1",
  ),
});

export const reverted = objectSchema({
  reverted: textSchema("The version that was reverted", "3+local.1"),
  model_version: textSchema("The version that is active now", "2"),
});
export const serializeRevertedModel = reverted.serializer(({ from, to }: { from: string; to: string }) => ({
  reverted: from,
  model_version: to,
}));
