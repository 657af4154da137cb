import type { Knowledge } from "../../domain/knowledge.ts";
import { modelVersionOf } from "../../usecases/model-in-use.ts";
import { modelCheckRecord, modelReply, modelVersionRecord } from "../../wire/model.ts";
import { adminOperation, answers, type Operation, ok } from "../operation.ts";

export function modelOperation(knowledge: Knowledge): Operation {
  return adminOperation({
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
  });
}
