import { SCORE_COLUMNS, serializeScoreLine } from "../../api-schemas/score-line-schema.ts";
import { spreadsheetCsvLine } from "../../csv/write-csv.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import type { Store } from "../../store/store.ts";
import { loadCurrentPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import { loadPortfolioComponentPages } from "../../usecases/portfolio/load-portfolio-component-pages.ts";
import { choiceOption, defineCommand, textOption, UsageError, valueOption } from "../command.ts";
import { withCommandData } from "../command-data-access.ts";

const TIERS: readonly string[] = ["CRITICAL", "WARNING", "GOOD"] satisfies RiskTier[];

export const scoresCommand = defineCommand({
  name: "scores",
  summary: "print component scores and their inputs, one line each",
  description:
    "Prints score, tier, confidence, probability of failure, hazard ratio, effective age, projected failure and costs. " +
    "Calculated values are not rounded. The server may be running; each component is printed as it is when read. For " +
    "operators only: partners do not see hazard ratios.",
  options: {
    partner: textOption("ID", "the partner whose components to print"),
    property: textOption("ID", "only this property; --partner is then optional"),
    tier: valueOption(
      "CRITICAL|WARNING|GOOD",
      "only this tier, in upper or lower case",
      (typed): RiskTier => {
        const tier = typed.toUpperCase();
        if (TIERS.includes(tier)) return tier as RiskTier;
        throw new UsageError(`expected CRITICAL or WARNING or GOOD, got ${JSON.stringify(typed)}`);
      },
    ),
    format: choiceOption(["csv", "ndjson"], "output format (default: csv, or ndjson with --json)"),
  },
  examples: [
    "mainstay scores --partner PARTNER_… --tier critical > critical.csv",
    "mainstay scores --partner PARTNER_… --format ndjson | gzip > scores.ndjson.gz",
  ],
  async run(context, _arguments, { partner: partnerId, property: propertyId, tier, format }) {
    if (partnerId === undefined && propertyId === undefined)
      throw new UsageError("--partner is required", "`mainstay partner list` shows the IDs.");
    const isCsv = (format ?? (context.json ? "ndjson" : "csv")) === "csv";
    const knowledge = embeddedKnowledge(context.config.costs);
    await withCommandData(context, async ({ store }) => {
      const owner = propertyId === undefined ? partnerId : await ownerOf(store, propertyId, partnerId);
      await requirePartner(store, owner!);
      const prices = await loadCurrentPartnerPrices(store.read, knowledge, owner!);
      if (isCsv) context.stdout.write(spreadsheetCsvLine(SCORE_COLUMNS));
      for await (const page of loadPortfolioComponentPages(store, { partnerId: owner!, propertyId, tier })) {
        const lines = page.map((row) => {
          const record = serializeScoreLine(prices, row);
          return isCsv ? spreadsheetCsvLine(Object.values(record)) : `${JSON.stringify(record)}\n`;
        });
        if (lines.length > 0) context.stdout.write(lines.join(""));
      }
    });
  },
});

/** Returns the owner of a property. Throws an OperatorError if it is not `partnerId`, where that is given. */
async function ownerOf({ read }: Pick<Store, "read">, propertyId: string, partnerId: string | undefined) {
  const owner = await read.properties.ownerOf(propertyId);
  if (owner !== undefined && (partnerId === undefined || partnerId === owner)) return owner;
  throw new OperatorError(
    partnerId === undefined
      ? `Property not found: ${propertyId}`
      : `Property not found in ${partnerId}: ${propertyId}`,
    "`mainstay partner list` shows partners; `mainstay plan --partner ID --format csv` lists a partner's properties.",
  );
}
