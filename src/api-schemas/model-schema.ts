import type { ModelCheck, ModelVersion } from "../domain/calibration/model-version.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import type { CalibrationJson, ValidationJson } from "./calibration-schema.ts";
import { componentDefId } from "./component-name-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  anyObjectSchema,
  daySchema,
  flagSchema,
  instantSchema,
  listSchema,
  numberSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

const modelName = textSchema("Version of the model: the default model, or a calibration of it", "3+local.1");

/** The parameters that a calibration estimates, without its validation. */
export const fitFields = {
  frailty_shape: wholeNumberSchema(
    "Shape of the frailty distribution of appliances; null if they do not differ",
    4,
  ).orNull(),
  evidence_strength: anyObjectSchema<CalibrationJson["evidence_strength"]>(
    "Exponents of the hazard ratios of condition and repairs",
  ),
  kinds: listSchema(
    "Lifetime correction per component type",
    objectSchema({
      component_def_id: componentDefId,
      life_factor: numberSchema("Factor on the lifetime of the type", 1.12),
      failures: wholeNumberSchema("Recorded failures of the type", 31),
      expected: numberSchema("Failures that the default model expects", 40.2),
    }),
  ),
  d_calibration: anyObjectSchema<CalibrationJson["d_calibration"]>(
    "Share of recorded lifetimes that ended in each decile of the forecast: `before` and `after` calibration",
  ),
  shared_causes: anyObjectSchema<CalibrationJson["shared_causes"]>(
    "Variances of the year factors that losses use, by class, and the failures of each calendar year with their 90% interval `before` and `after` they were learned; null in calibrations of earlier releases",
  ).orNull(),
};

const fit = objectSchema(fitFields);
export type FitJson = JsonOf<typeof fit>;

/** A stored report; those of earlier releases have no shared causes. */
type StoredReport = Omit<CalibrationJson, "shared_causes"> & Partial<Pick<CalibrationJson, "shared_causes">>;

export const serializeCalibrationFit = fit.serializer(
  ({ frailty_shape, evidence_strength, kinds, d_calibration, shared_causes }: StoredReport) => ({
    frailty_shape,
    evidence_strength,
    kinds,
    d_calibration,
    shared_causes: shared_causes ?? null,
  }),
);

const version = objectSchema({
  model_version: modelName,
  in_use: flagSchema("Whether this version is active"),
  applied_at: instantSchema("When the version was first activated"),
  applied_by: textSchema("Who activated the version: `cli:<user>` or an administrator's ID", "cli:root"),
  proven: flagSchema("Whether it was proven better than the default model when it was activated"),
  forced: flagSchema("Whether it was activated without proof", false),
  failures: wholeNumberSchema("Recorded failures used for calibration", 460),
  lives: wholeNumberSchema("Recorded lifetimes used for calibration", 1637),
  ...fitFields,
  validation: anyObjectSchema<CalibrationJson["validation"]>(
    "Comparison of both models' forecasts of one year with its outcomes",
  ),
});
export type ModelVersionJson = JsonOf<typeof version>;

export const serializeModelVersion = version.serializer((stored: ModelVersion, inUse: string) => {
  const evidence = stored.evidence as CalibrationJson;
  return {
    model_version: stored.version,
    in_use: stored.version === inUse,
    applied_at: isoTextOfInstant(stored.createdAt),
    applied_by: stored.actor,
    proven: stored.isProven,
    forced: !stored.isProven,
    failures: evidence.failures,
    lives: evidence.lives,
    ...serializeCalibrationFit(evidence),
    validation: evidence.validation,
  };
});

const check = objectSchema({
  date: daySchema("Last day of the compared outcomes"),
  model_version: modelName,
  worse_than_plain: flagSchema("Whether the default model forecast that year better", false),
  validation: anyObjectSchema<ValidationJson>(
    "Comparison of both models' forecasts of one year with its outcomes",
  ),
});

/** A monthly comparison of the active model with the default model. */
export const serializeModelCheck = check.serializer((found: ModelCheck) => ({
  date: found.day,
  model_version: found.version,
  worse_than_plain: found.isWorse,
  validation: found.evidence as ValidationJson,
}));

export const modelReply = objectSchema({
  model_version: modelName,
  plain_model: textSchema("The default model, without calibration", "2"),
  latest_check: check.orNull(),
  versions: listSchema("Activated calibrations, newest first", version),
});
export type ModelJson = JsonOf<typeof modelReply>;
