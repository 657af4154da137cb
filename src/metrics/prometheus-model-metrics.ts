import { Gauge, type Registry } from "prom-client";
import { dayNumber, MS_PER_DAY } from "../domain/time.ts";
import type { Stores } from "../store/stores.ts";

/** The part of a stored validation (`api-schemas/calibration-schema.ts`) that is shown. */
type Validation = {
  before: Measures;
  after: Measures;
  log_loss_difference: { mean: number } | null;
};
type Measures = { concordance: number | null; brier_skill: number | null };

/** Defines the gauges of the active model. `refresh` reads the store and sets them; `clear` leaves them without values. */
export function defineModelMetrics(
  registry: Registry,
  { read, defaultModel }: { read: Pick<Stores, "models">; defaultModel: string },
): { refresh: () => Promise<void>; clear: () => void } {
  const registers = [registry];
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `mainstay_model_${name}`, help, labelNames, registers });
  const info = gauge("info", "Always 1. The labels identify the active model and how it was validated.", [
    "version",
    "proof",
  ]);
  const concordance = gauge(
    "concordance",
    "Concordance of the one-year forecast, for the default and the active model.",
    ["model"],
  );
  const skill = gauge(
    "brier_skill",
    "Brier skill of the one-year forecast, for the default and the active model.",
    ["model"],
  );
  const difference = gauge(
    "log_loss_difference",
    "Log loss of the active minus the default model. Above 0, the default model forecasts better.",
  );
  const worse = gauge(
    "worse_than_default",
    "1 if the latest check found the active model worse than the default model.",
  );
  const checkedAt = gauge("checked_time_seconds", "Day of the latest check, in epoch seconds.");
  const clear = () => {
    for (const labeled of [info, concordance, skill]) labeled.reset();
    for (const unlabeled of [difference, worse, checkedAt]) unlabeled.remove();
  };

  const refresh = async () => {
    for (const labeled of [info, concordance, skill]) labeled.reset();
    const active = await read.models.inUse();
    const version = active && (await read.models.find(active.number));
    if (!version || version.base !== defaultModel) {
      info.set({ version: defaultModel, proof: "default" }, 1);
      for (const unknown of [difference, worse, checkedAt]) unknown.remove();
      return;
    }
    info.set({ version: version.version, proof: version.isProven ? "proven" : "forced" }, 1);
    const latest = await read.models.latestCheck();
    const check = latest?.version === version.version ? latest : undefined;
    const validation = (check?.evidence ?? version.evidence.validation) as Validation;
    for (const [model, measures] of [
      ["default", validation.before],
      ["active", validation.after],
    ] as const) {
      if (measures.concordance !== null) concordance.set({ model }, measures.concordance);
      if (measures.brier_skill !== null) skill.set({ model }, measures.brier_skill);
    }
    if (validation.log_loss_difference) difference.set(validation.log_loss_difference.mean);
    worse.set(check?.isWorse ? 1 : 0);
    if (check) checkedAt.set((dayNumber(check.day) * MS_PER_DAY) / 1000);
  };
  return { refresh, clear };
}
