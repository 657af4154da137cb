import {
  type LossComponentsJson,
  serializeLossComponents,
} from "../../api-schemas/loss-components-schema.ts";
import { type LossesJson, serializeLossTable } from "../../api-schemas/losses-schema.ts";
import { spreadsheetCsvLine } from "../../csv/write-csv.ts";
import { centsFromUsd } from "../../domain/costs/usd-cents.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { OperatorError } from "../../domain/errors.ts";
import { LOSS_LIMITS } from "../../domain/losses/loss-term-limits.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import type { Store } from "../../store/store.ts";
import { loadBookOfBusinessPartners } from "../../usecases/book-of-business/load-book-of-business-partners.ts";
import { LossBooks, type LossDeps, type LossRequest } from "../../usecases/losses/load-loss-books.ts";
import { loadPricedLosses } from "../../usecases/losses/load-priced-losses.ts";
import { lossWorkbook } from "../../usecases/losses/loss-workbook.ts";
import { RevisionCaches } from "../../usecases/revision-caches/revision-caches.ts";
import {
  choiceOption,
  defineCommand,
  switchOption,
  textOption,
  UsageError,
  wholeNumberOption,
} from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import { checkCommandWorkbookOutput, writeCommandWorkbook } from "../command-workbook-output.ts";
import { terminalLossesText } from "../terminal/terminal-losses-text.ts";
import { yieldCollectingGarbageInCommand } from "../yield-collecting-garbage-in-command.ts";

const { deductibleUsd, limitUsd } = LOSS_LIMITS;

export const lossesCommand = defineCommand({
  name: "losses",
  summary: "print expected losses, the worst years and loss drivers",
  description:
    "For all partners, one partner or one property: the expected annual loss with its standard deviation, the annual loss " +
    "exceeded once in 2 to 200 years, the largest damage, and each part's share. Demo properties are left out.",
  options: {
    partner: textOption("ID", "the partner whose portfolio to use (default: all partners)"),
    property: textOption("ID", "the property to use"),
    deductible: wholeNumberOption(
      "USD",
      "deductible of each damage",
      deductibleUsd.least,
      deductibleUsd.most,
    ),
    limit: wholeNumberOption(
      "USD",
      "insured limit of each damage, above the deductible",
      limitUsd.least,
      limitUsd.most,
    ),
    includeDemo: switchOption("include demo properties"),
    format: choiceOption(["table", "csv", "json", "xlsx"], "output format (default: table)"),
    output: textOption("FILE", "the file to write the workbook to; required with --format xlsx"),
  },
  examples: [
    "mainstay losses --deductible 2500 --limit 50000",
    "mainstay losses --partner PARTNER_… --format csv > losses.csv",
    "mainstay losses --property P_… --format xlsx --output losses.xlsx",
  ],
  async run(context, _arguments, { partner, property, deductible, limit, includeDemo, format, output }) {
    if (partner !== undefined && property !== undefined)
      throw new UsageError(
        "specify --partner or --property, not both",
        "Without them, all partners are used.",
      );
    const form = context.json ? "json" : (format ?? "table");
    checkCommandWorkbookOutput(form, output);
    const request: LossRequest = {
      selection: { includeDemo: includeDemo ?? false },
      layer: {
        deductible: centsFromUsd(deductible ?? 0),
        limit: limit === undefined ? null : centsFromUsd(limit),
      },
    };
    const run = ({ store }: { store: Store }) => {
      const knowledge = embeddedKnowledge(context.config.costs);
      const deps = { store, now: context.now(), yieldNow: yieldCollectingGarbageInCommand(yieldToEventLoop) };
      return property !== undefined
        ? ofProperty(deps, knowledge, property, request)
        : ofBook(deps, knowledge, partner, request);
    };
    // The pages of a mapped file would count as memory of the process.
    const { losses, name, components } = await withCommandData(context, run, { mapsFile: false });
    if (form === "csv") context.stdout.write(serializeLossTable(losses).map(spreadsheetCsvLine).join(""));
    else if (form === "json") context.stdout.write(`${JSON.stringify(losses)}\n`);
    else if (form === "xlsx") writeCommandWorkbook(context, output!, await lossWorkbook(losses, components));
    else context.print(losses, terminalLossesText(losses, name, context));
  },
});

/** `components`: the components of a property. */
type Found = { losses: LossesJson; name: string; components?: LossComponentsJson };
type Deps = LossDeps & { store: Store };

async function ofBook(
  deps: Deps,
  knowledge: Knowledge,
  partner: string | undefined,
  request: LossRequest,
): Promise<Found> {
  if (partner !== undefined && !(await deps.store.read.partners.find(partner)))
    throw new OperatorError(`Partner not found: ${partner}`, "`mainstay partner list` shows the IDs.");
  const members = await loadBookOfBusinessPartners(
    deps.store.read,
    partner === undefined ? undefined : new Set([partner]),
  );
  const selected = await new LossBooks(knowledge, new RevisionCaches(0)).ofPartners(deps, members, request);
  const name = partner === undefined ? "All partners" : members[0]!.name;
  return { losses: await written(knowledge, selected, request), name };
}

async function ofProperty(
  deps: Deps,
  knowledge: Knowledge,
  id: string,
  request: LossRequest,
): Promise<Found> {
  const { properties } = deps.store.read;
  const owner = await properties.ownerOf(id);
  if (owner === undefined)
    throw new OperatorError(
      `Property not found: ${id}`,
      "`mainstay partner list` shows partners; `mainstay plan --partner ID --format csv` lists a partner's properties.",
    );
  const property = (await properties.find(owner, id))!;
  const books = new LossBooks(knowledge, new RevisionCaches(0));
  const selected = await books.ofProperty(deps, { id: owner, revision: "" }, property, request);
  const components = serializeLossComponents(knowledge, await books.componentsOf(deps, property, request));
  return { losses: await written(knowledge, selected, request), name: property.name, components };
}

const written = (
  knowledge: Knowledge,
  selected: Parameters<typeof loadPricedLosses>[1],
  request: LossRequest,
): Promise<LossesJson> =>
  loadPricedLosses(knowledge, selected, request, { terms: undefined, deviation: async () => 0 });
