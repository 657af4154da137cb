import { Gauge, type Registry } from "prom-client";
import { dayNumber, MS_PER_DAY } from "../domain/time.ts";
import type { Stores } from "../store/stores.ts";

/** As a version's evidence and a check keep it; see `calibrationRecord`. */
type Validation = {
  before: Measures;
  after: Measures;
  log_loss_difference: { mean: number } | null;
};
type Measures = { concordance: number | null; brier_skill: number | null };

/** Defines the gauges of the model that scores are made with, and returns what sets them. */
export function defineModelGauges(
  registry: Registry,
  { read, plainModel }: { read: Pick<Stores, "models">; plainModel: string },
): () => Promise<void> {
  const registers = [registry];
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `mainstay_model_${name}`, help, labelNames, registers });
  const info = gauge("info", "Always 1; says what scores are made with, and whether by proof.", [
    "version",
    "proof",
  ]);
  const concordance = gauge("concordance", "Of the year's forecast, by the plain model and the fit in use.", [
    "model",
  ]);
  const skill = gauge("brier_skill", "Of the year's forecast, by the plain model and the fit in use.", [
    "model",
  ]);
  const difference = gauge(
    "log_loss_difference",
    "Of the fit in use less the plain model; above 0 the plain one forecasts better.",
  );
  const worse = gauge("worse_than_plain", "1 when the latest check found the fit in use the worse model.");
  const checkedAt = gauge("checked_time_seconds", "The day of the latest check, in epoch seconds.");
  for (const unknown of [difference, worse, checkedAt]) unknown.remove();

  return async () => {
    for (const labelled of [info, concordance, skill]) labelled.reset();
    const inUse = await read.models.inUse();
    const version = inUse && (await read.models.find(inUse.number));
    if (!version || version.base !== plainModel) {
      info.set({ version: plainModel, proof: "plain" }, 1);
      for (const unknown of [difference, worse, checkedAt]) unknown.remove();
      return;
    }
    info.set({ version: version.version, proof: version.isProven ? "proven" : "forced" }, 1);
    const latest = await read.models.latestCheck();
    const check = latest?.version === version.version ? latest : undefined;
    const validation = (check?.evidence ?? version.evidence.validation) as Validation;
    for (const [model, measures] of [
      ["plain", validation.before],
      ["in_use", validation.after],
    ] as const) {
      if (measures.concordance !== null) concordance.set({ model }, measures.concordance);
      if (measures.brier_skill !== null) skill.set({ model }, measures.brier_skill);
    }
    if (validation.log_loss_difference) difference.set(validation.log_loss_difference.mean);
    worse.set(check?.isWorse ? 1 : 0);
    if (check) checkedAt.set((dayNumber(check.day) * MS_PER_DAY) / 1000);
  };
}
