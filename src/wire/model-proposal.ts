import { type } from "arktype";
import type { ModelProposal } from "../domain/model-proposal.ts";
import type { calibrationRecord } from "./calibration.ts";
import { body, optional } from "./check.ts";
import { anyObject, flag, instant, object, oneOf, text, whole } from "./kit.ts";
import { isoOrNull } from "./units.ts";

export const modelProposal = object({
  status: oneOf(
    ["none", "running", "ready", "failed", "applied"],
    "Whether a fit was asked for, and what became of it",
    "ready",
  ),
  started_at: instant("When it began").orNull(),
  finished_at: instant("When it ended").orNull(),
  error: text("Why it failed, in words", "no outcome is on record").orNull(),
  model_version: text("The model that is in use since it was applied", "2+local.1").orNull(),
  better: flag("Whether it is proven better than the plain model").orNull(),
  failures: whole("Failures on record that it was fitted to", 460).orNull(),
  lives: whole("Lives on record that it was fitted to", 1637).orNull(),
  validation: anyObject("The year's forecast of both models, measured at its outcomes").orNull(),
});

export const modelProposalView = modelProposal.view((proposal: ModelProposal) => {
  const report = proposal.report as ReturnType<typeof calibrationRecord> | null;
  return {
    status: proposal.status,
    started_at: isoOrNull(proposal.startedAt),
    finished_at: isoOrNull(proposal.finishedAt),
    error: proposal.error,
    model_version: proposal.modelVersion,
    better: report?.better ?? null,
    failures: report?.failures ?? null,
    lives: report?.lives ?? null,
    validation: (report?.validation as Record<string, unknown> | undefined) ?? null,
  };
});

export const applyProposal = body({
  force: optional(type("boolean").describe("true or false"), "Also without proof", false),
});

export const reverted = object({
  reverted: text("The model that was in use", "2+local.1"),
  model_version: text("The model that is in use now", "2"),
});
export const revertedView = reverted.view(({ from, to }: { from: string; to: string }) => ({
  reverted: from,
  model_version: to,
}));
