import type { ModelCheck, ModelVersion } from "../domain/calibration/model-version.ts";
import { toIso } from "../domain/time.ts";
import type { CalibrationJson, ValidationJson } from "./calibration.ts";
import { componentDefId } from "./component-names.ts";
import { anyObject, day, flag, instant, list, number, object, text, whole } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";

const modelName = text(
  "Name of the model: the executable's, or a fit of this operator's over it",
  "2+local.1",
);

/** What a fit says of the stock, beside its proof. */
export const fitFields = {
  frailty_shape: whole("Shape of the appliances' frailty; null where they do not differ", 4).orNull(),
  evidence_strength: anyObject<CalibrationJson["evidence_strength"]>(
    "Powers on the ratios of the condition and of repairs",
  ),
  kinds: list(
    "What it makes of the life of each kind of component",
    object({
      component_def_id: componentDefId,
      life_factor: number("What it multiplies the life of the kind by", 1.12),
      failures: whole("Failures of the kind on record", 31),
      expected: number("Failures that the plain model would have expected", 40.2),
    }),
  ),
  d_calibration: anyObject<CalibrationJson["d_calibration"]>(
    "Of all lives on record, the share that ended in each tenth of what was forecast: `before` and `after` the fit",
  ),
};

const fit = object(fitFields);
export type FitJson = WireOf<typeof fit>;

export const fitView = fit.serializer(
  ({ frailty_shape, evidence_strength, kinds, d_calibration }: CalibrationJson) => ({
    frailty_shape,
    evidence_strength,
    kinds,
    d_calibration,
  }),
);

const version = object({
  model_version: modelName,
  in_use: flag("Whether scores are made with it"),
  applied_at: instant("When it was put to use first"),
  applied_by: text("Who put it to use: `cli:<user>`, or an administrator's id", "cli:root"),
  proven: flag("Whether it was proven better than the plain model then"),
  forced: flag("Whether it was put to use without proof", false),
  failures: whole("Failures on record that it was fitted to", 460),
  lives: whole("Lives on record that it was fitted to", 1637),
  ...fitFields,
  validation: anyObject<CalibrationJson["validation"]>(
    "The year's forecast of both models, measured at its outcomes",
  ),
});
export type ModelVersionJson = WireOf<typeof version>;

/** A stored version of the model. */
export const modelVersionRecord = version.serializer((stored: ModelVersion, inUse: string) => {
  const evidence = stored.evidence as CalibrationJson;
  return {
    model_version: stored.version,
    in_use: stored.version === inUse,
    applied_at: toIso(stored.createdAt),
    applied_by: stored.actor,
    proven: stored.isProven,
    forced: !stored.isProven,
    failures: evidence.failures,
    lives: evidence.lives,
    ...fitView(evidence),
    validation: evidence.validation,
  };
});

const check = object({
  date: day("Day up to which outcomes count"),
  model_version: modelName,
  worse_than_plain: flag("Whether the plain model would have forecast the year before better", false),
  validation: anyObject<ValidationJson>("The year's forecast of both models, measured at its outcomes"),
});

/** A look at whether the model in use still forecasts better than the plain one. */
export const modelCheckRecord = check.serializer((found: ModelCheck) => ({
  date: found.day,
  model_version: found.version,
  worse_than_plain: found.isWorse,
  validation: found.evidence as ValidationJson,
}));

/** What administrators read of the model that scores are made with. */
export const modelReply = object({
  model_version: modelName,
  plain_model: text("The executable's model, without corrections", "2"),
  latest_check: check.orNull(),
  versions: list("Every fit that was put to use, the newest first", version),
});
export type ModelJson = WireOf<typeof modelReply>;
