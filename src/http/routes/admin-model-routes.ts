import {
  applyProposal,
  modelProposal,
  revert,
  reverted,
  serializeModelProposal,
  serializeRevertedModel,
} from "../../api-schemas/calibration-proposal-schema.ts";
import { modelReply, serializeModelCheck, serializeModelVersion } from "../../api-schemas/model-schema.ts";
import type { CalibrationProposal } from "../../domain/calibration/model-version.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { conflict } from "../../domain/errors.ts";
import { activateProposedFit, revertModel } from "../../usecases/calibration/apply-or-revert-calibration.ts";
import { loadActiveModelVersion } from "../../usecases/calibration/load-active-model.ts";
import {
  acceptedReplies,
  acceptedReply,
  adminOperation,
  httpServerDisplayName,
  type Operation,
  okReplies,
  okReply,
} from "../http-operation.ts";

/** Runs the calibrations that administrators request. */
export type Proposals = {
  /** Returns the latest calibration, which is the same on every server. */
  state(): Promise<CalibrationProposal>;
  /** Starts a calibration, or returns who is running one and since when. `by` describes this server. */
  start(asked: { by: string; actor: string }): Promise<"begun" | { heldBy: string }>;
};

export function modelOperations(
  knowledge: Knowledge,
  proposals: () => Proposals,
  /** Returns the address on which this server listens. */
  address: () => string,
): Operation[] {
  const proposed = async () => serializeModelProposal(await proposals().state());
  return [
    adminOperation({
      id: "getModel",
      method: "GET",
      path: "/admin/model",
      summary: "Get the active model and its versions",
      tag: "Administration",
      replies: okReplies("The active model and all activated calibrations", modelReply),
      async handle({ store }) {
        const { models } = store.read;
        const inUse = await loadActiveModelVersion(store.read, knowledge);
        const check = await models.latestCheck();
        return okReply({
          model_version: inUse,
          plain_model: knowledge.modelVersion,
          latest_check: check ? serializeModelCheck(check) : null,
          versions: (await models.list()).map((stored) => serializeModelVersion(stored, inUse)),
        });
      },
    }),
    adminOperation({
      id: "revertModel",
      method: "POST",
      path: "/admin/model/revert",
      summary: "Revert to the previous model",
      tag: "Administration",
      request: { type: revert.type, example: { model_version: "3+local.1" } },
      replies: okReplies(
        "The reverted and the active version; scores change with the next snapshot",
        reverted,
      ),
      errors: [409],
      body: "optional",
      async handle({ administration: { store, actor }, body }) {
        const { model_version: from } = revert.parse(body);
        return okReply(serializeRevertedModel(await revertModel({ store, actor, knowledge }, from)));
      },
    }),
    adminOperation({
      id: "getModelProposal",
      method: "GET",
      path: "/admin/model/proposal",
      summary: "Get the latest calibration",
      tag: "Administration",
      replies: okReplies("The calibration with its validation", modelProposal),
      handle: async () => okReply(await proposed()),
    }),
    adminOperation({
      id: "proposeModel",
      method: "POST",
      path: "/admin/model/proposal",
      summary: "Calibrate the model to the recorded failures",
      description: "Scores do not change until the calibration is activated.",
      tag: "Administration",
      replies: acceptedReplies("The calibration is in progress", modelProposal),
      errors: [409],
      body: "optional",
      async handle({ administration: { actor } }) {
        const begun = await proposals().start({ by: httpServerDisplayName(address()), actor });
        if (begun !== "begun")
          throw conflict(`A calibration is already in progress, started by ${begun.heldBy}`);
        return acceptedReply(await proposed());
      },
    }),
    adminOperation({
      id: "applyModelProposal",
      method: "POST",
      path: "/admin/model/proposal/apply",
      summary: "Activate a calibration",
      tag: "Administration",
      description:
        "A calibration that is not proven better than the default model is rejected unless `force` is true.",
      request: { type: applyProposal.type, example: { proposal_id: "3-1795230000000", force: false } },
      replies: okReplies("The calibration is active from the next snapshot", modelProposal),
      errors: [409],
      body: "json",
      async handle({ administration: { store, actor }, body }) {
        const { proposal_id: id, force = false } = applyProposal.parse(body);
        await activateProposedFit({ store, knowledge, actor }, id, { force });
        return okReply(await proposed());
      },
    }),
  ];
}
