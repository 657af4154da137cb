import type { ModelProposal } from "../../administration/model-proposal.ts";
import { conflict } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { modelVersionOf } from "../../usecases/calibration/active-model.ts";
import { activateKeptFit, revertModel } from "../../usecases/calibration/model-versions.ts";
import { modelCheckRecord, modelReply, modelVersionRecord } from "../../wire/model.ts";
import {
  applyProposal,
  modelProposal,
  modelProposalView,
  revert,
  reverted,
  revertedView,
} from "../../wire/model-proposal.ts";
import { accepted, accepts, adminOperation, answers, type Operation, ok, serverLabel } from "../operation.ts";

/** Fits that administrators ask for. */
export type Proposals = {
  /** The same on every server. */
  state(): Promise<ModelProposal>;
  /** Begins a fit in the name of `by`, this server in words; else says who makes one, and since when. */
  start(asked: { by: string; actor: string }): Promise<"begun" | { heldBy: string }>;
};

export function modelOperations(
  knowledge: Knowledge,
  proposals: () => Proposals,
  /** Where this server listens. */
  address: () => string,
): Operation[] {
  const proposed = async () => modelProposalView(await proposals().state());
  return [
    adminOperation({
      id: "getModel",
      method: "GET",
      path: "/admin/model",
      summary: "The model that scores are made with, its proof, and the versions before it",
      tag: "Administration",
      replies: answers("The model in use, and every fit that was", modelReply),
      async handle({ store }) {
        const { models } = store.read;
        const inUse = await modelVersionOf(store.read, knowledge);
        const check = await models.latestCheck();
        return ok({
          model_version: inUse,
          plain_model: knowledge.modelVersion,
          latest_check: check ? modelCheckRecord(check) : null,
          versions: (await models.list()).map((stored) => modelVersionRecord(stored, inUse)),
        });
      },
    }),
    adminOperation({
      id: "revertModel",
      method: "POST",
      path: "/admin/model/revert",
      summary: "Go back to the model that was in use before; the next snapshot scores everything by it",
      tag: "Administration",
      request: { type: revert.type, example: { model_version: "2+local.1" } },
      replies: answers("Both models", reverted),
      errors: [409],
      body: "optional",
      async handle({ administration: { store, actor }, body }) {
        const { model_version: from } = revert.parse(body);
        return ok(revertedView(await revertModel({ store, actor, knowledge }, from)));
      },
    }),
    adminOperation({
      id: "getModelProposal",
      method: "GET",
      path: "/admin/model/proposal",
      summary: "The latest fit that was asked for, on whichever server, with its proof",
      tag: "Administration",
      replies: answers("The fit, if there is one", modelProposal),
      handle: async () => ok(await proposed()),
    }),
    adminOperation({
      id: "proposeModel",
      method: "POST",
      path: "/admin/model/proposal",
      summary:
        "Fit the model to the failures on record, and keep the fit with its proof; changes nothing by itself",
      tag: "Administration",
      replies: accepts("It is under way", modelProposal),
      errors: [409],
      body: "optional",
      async handle({ administration: { actor } }) {
        const begun = await proposals().start({ by: serverLabel(address()), actor });
        if (begun !== "begun") throw conflict(`A fit is under way already, by ${begun.heldBy}`);
        return accepted(await proposed());
      },
    }),
    adminOperation({
      id: "applyModelProposal",
      method: "POST",
      path: "/admin/model/proposal/apply",
      summary: "Put the very fit whose proof was looked at to use; refused without proof unless forced",
      tag: "Administration",
      request: { type: applyProposal.type, example: { proposal_id: "3-1795230000000", force: false } },
      replies: answers("It is in use", modelProposal),
      errors: [409],
      body: "json",
      async handle({ administration: { store, actor }, body }) {
        const { proposal_id: id, force = false } = applyProposal.parse(body);
        await activateKeptFit({ store, knowledge, actor }, id, { force });
        return ok(await proposed());
      },
    }),
  ];
}
