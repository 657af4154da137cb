import { serializeExplanation } from "../../api-schemas/explanation-schema.ts";
import { OperatorError } from "../../domain/errors.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { loadComponentExplanation } from "../../usecases/explanation/load-component-explanation.ts";
import { defineCommand, requiredCommandArgument } from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import { terminalExplanationText } from "../terminal/terminal-explanation-text.ts";

export const explainCommand = defineCommand({
  name: "explain",
  summary: "explain a component's score, with what-if scenarios",
  description:
    "Shows the component's lifetime, aging rate, age, evidence with hazard ratios and expiry, the score that follows, " +
    "its confidence, the projected failure, and the recommended action. --json prints unrounded numbers, so that the " +
    "score can be recalculated. For operators only: partners do not see the model's weights.",
  arguments: { componentId: requiredCommandArgument("the component's ID") },
  examples: ["mainstay explain C_…", "mainstay explain C_… --json"],
  async run(context, { componentId }) {
    const knowledge = embeddedKnowledge(context.config.costs);
    const explained = await withCommandData(context, ({ store }) =>
      loadComponentExplanation(store, knowledge, componentId),
    );
    if (!explained)
      throw new OperatorError(
        `Component not found: ${componentId}`,
        "`mainstay scores --partner ID` lists the IDs of a partner's components.",
      );
    const record = serializeExplanation(knowledge, explained);
    context.print(record, terminalExplanationText(record, context));
  },
});
