import { OperatorError } from "../../domain/errors.ts";
import { loadKnowledge } from "../../knowledge/load.ts";
import { explainComponent } from "../../usecases/explain-component.ts";
import { explanationView } from "../../wire/explanation.ts";
import { command, required } from "../command.ts";
import { withData } from "../data.ts";
import { explanationText } from "../terminal/explanation-text.ts";

export const explainCommand = command({
  name: "explain",
  summary: "explain how a component's score is calculated and what would change it",
  description:
    "Its life, its rate of ageing, its age, each piece of evidence with its ratio and when it ends, and how they make " +
    "the score; how sure it is, when it is expected to fail, what would change it, and what to do about it. With --json " +
    "every number unrounded, so that the score can be worked out again. For operators: partners are not told weights.",
  arguments: { componentId: required("the component's id") },
  examples: ["mainstay explain C_…", "mainstay explain C_… --json"],
  async run(context, { componentId }) {
    const knowledge = loadKnowledge();
    const explained = await withData(context, ({ store }) => explainComponent(store, knowledge, componentId));
    if (!explained)
      throw new OperatorError(
        `there is no component ${componentId}`,
        "`mainstay scores --partner ID` prints the ids of a partner's components.",
      );
    const record = explanationView(knowledge, explained);
    context.print(record, explanationText(record, context.columns));
  },
});
