import type { ModelProposal } from "../administration/model-proposal.ts";
import { type } from "../shapes.ts";
import type { CalibrationJson } from "./calibration.ts";
import { fitFields, fitView } from "./model.ts";
import { anyObject, enumOf, flag, instant, object, text, whole } from "./schema/fields.ts";
import { body, optional, required } from "./schema/input.ts";
import { isoOrNull } from "./schema/units.ts";
import type { WireOf } from "./schema/wire-type.ts";

export const modelProposal = object({
  proposal_id: text(
    "What names the fit that is kept with its proof: this one once it is ready, or the one before it where it failed",
    "3-1795230000000",
  ).orNull(),
  status: enumOf(
    ["none", "running", "ready", "failed", "applied"],
    "Whether a fit was asked for, and what became of it",
    "ready",
  ),
  by: text(
    "Who makes it or made it: a server, or a user's command",
    "the server at http://10.0.0.11:8080",
  ).orNull(),
  started_at: instant("When it began").orNull(),
  finished_at: instant("When it ended").orNull(),
  error: text("Why it failed, in words", "no outcome is on record").orNull(),
  model_version: text("The model that is in use since it was applied", "2+local.1").orNull(),
  made_at: instant("When the fit that is kept was made").orNull(),
  better: flag("Whether it is proven better than the plain model").orNull(),
  failures: whole("Failures on record that it was fitted to", 460).orNull(),
  lives: whole("Lives on record that it was fitted to", 1637).orNull(),
  validation: anyObject<CalibrationJson["validation"]>(
    "The year's forecast of both models, measured at its outcomes",
  ).orNull(),
  fit: object(fitFields).describedAs("What it says of the stock").orNull(),
});
export type ModelProposalJson = WireOf<typeof modelProposal>;

export const modelProposalView = modelProposal.serializer((proposal: ModelProposal) => {
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
    fit: report ? fitView(report) : null,
  };
});

export const applyProposal = body({
  proposal_id: required(
    type("string <= 60").describe("a text of at most 60 characters"),
    "The fit whose proof was looked at",
    "3-1795230000000",
  ),
  force: optional(type("boolean").describe("true or false"), "Also without proof", false),
});

export const revert = body({
  model_version: optional(
    type("string <= 60").describe("a text of at most 60 characters"),
    "The model to go back from; refused where another is in use by now",
    "2+local.1",
  ),
});

export const reverted = object({
  reverted: text("The model that was in use", "2+local.1"),
  model_version: text("The model that is in use now", "2"),
});
export const revertedView = reverted.serializer(({ from, to }: { from: string; to: string }) => ({
  reverted: from,
  model_version: to,
}));
