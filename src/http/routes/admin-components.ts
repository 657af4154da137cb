import { notFound } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { explainComponent } from "../../usecases/explain-component.ts";
import { explanationReply, explanationView } from "../../wire/explanation.ts";
import { componentInPath } from "../../wire/parameters.ts";
import { adminOperation, answers, type Operation, ok } from "../operation.ts";

export function explanationOperation(knowledge: Knowledge): Operation {
  return adminOperation({
    id: "explainComponent",
    method: "GET",
    path: "/admin/components/{id}/explanation",
    summary: "How a component's score came about, number by number, and what would change it",
    tag: "Administration",
    parameters: [componentInPath],
    replies: answers("The explanation, unrounded", explanationReply),
    async handle({ params, store }) {
      const explained = await explainComponent(store, knowledge, params.id!);
      if (!explained) throw notFound("Component not found");
      return ok(explanationView(knowledge, explained));
    },
  });
}
