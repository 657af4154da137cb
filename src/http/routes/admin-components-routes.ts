import {
  alertOrder,
  applianceFilter,
  componentInPath,
  pagingParameters,
  partnerFilter,
  propertyFilter,
  tier,
} from "../../api-schemas/api-parameter-schemas.ts";
import { partnerComponentPage, serializePartnerComponent } from "../../api-schemas/component-schema.ts";
import { explanationReply, serializeExplanation } from "../../api-schemas/explanation-schema.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { notFound } from "../../domain/errors.ts";
import { propertyNotFound } from "../../domain/property.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import type { NarrowFilter } from "../../store/queries/component-lists-queries.ts";
import type { Store } from "../../store/store.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import { loadCurrentPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { loadComponentExplanation } from "../../usecases/explanation/load-component-explanation.ts";
import { adminOperation, type Operation, okReplies, okReply } from "../http-operation.ts";
import {
  type HttpQuery,
  invalidHttpParameterFailure,
  isSortedByCostInHttpQuery,
  parseRowRangeHttpQuery,
  parseTierHttpQuery,
} from "../http-query-parameters.ts";

/** The operations on any partner's components and the explanations of their scores. */
export function adminComponentOperations(knowledge: Knowledge): Operation[] {
  return [
    adminOperation({
      id: "listComponentsOfAny",
      method: "GET",
      path: "/admin/components",
      summary: "List the components of a partner, property or appliance",
      description:
        "Requires exactly one of `partner_id`, `property_id` and `appliance_id`. Without `tier`, returns CRITICAL and " +
        "WARNING components, highest score or expected cost first; for an appliance, all components. GOOD components, and those of an appliance, are in the order of their creation.",
      tag: "Administration",
      parameters: [partnerFilter, propertyFilter, applianceFilter, tier, alertOrder, ...pagingParameters],
      replies: okReplies("A page of components", partnerComponentPage),
      errors: [404],
      async handle({ query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const by = { tier: parseTierHttpQuery(query), byCost: isSortedByCostInHttpQuery(query) };
        const { rows, total } = await findComponents(store, parseOwner(query), by, slice);
        return okReply(
          partnerComponentPage.of(
            await Promise.all(
              rows.map(async (row) =>
                serializePartnerComponent(
                  await loadCurrentPartnerPrices(store.read, knowledge, row.partnerId),
                  row,
                ),
              ),
            ),
            slice,
            total,
          ),
        );
      },
    }),
    adminOperation({
      id: "explainComponent",
      method: "GET",
      path: "/admin/components/{id}/explanation",
      summary: "Explain a component's score",
      tag: "Administration",
      parameters: [componentInPath],
      replies: okReplies("The explanation, with unrounded values", explanationReply),
      errors: [409],
      async handle({ params, store, yieldNow }) {
        const explained = await loadComponentExplanation(store, knowledge, params.id!, yieldNow);
        if (!explained) throw notFound("Component not found");
        return okReply(serializeExplanation(knowledge, explained));
      },
    }),
  ];
}

type Owner = { kind: "partner" | "property" | "appliance"; id: string };

/** Returns the one owner that the query names. Throws invalid_request for none or several. */
function parseOwner(query: HttpQuery): Owner {
  const owners = (["partner", "property", "appliance"] as const).flatMap((kind): Owner[] => {
    const id = query.get(`${kind}_id`);
    return id === undefined ? [] : [{ kind, id }];
  });
  const [owner, second] = owners;
  if (!owner || second)
    throw invalidHttpParameterFailure(
      second ? `${second.kind}_id` : "partner_id",
      second ? `and ${owner!.kind}_id are mutually exclusive` : "or property_id or appliance_id is required",
    );
  return owner;
}

/** The filter and the order of a list. */
type By = { tier: RiskTier | undefined; byCost: boolean };
type Found = { rows: PlacedComponent[]; total: number };

async function findComponents(
  store: Store,
  { kind, id }: Owner,
  { tier, byCost }: By,
  slice: StoredRowRange,
): Promise<Found> {
  const { read } = store;
  if (kind === "partner") {
    if (!(await read.partners.find(id))) throw notFound("Partner not found");
    return await readStoreConsistently(store, id, (read) =>
      componentsOfPartner(read, id, { tier, byCost }, slice),
    );
  }
  const isKnown =
    kind === "property"
      ? (await read.properties.ownerOf(id)) !== undefined
      : (await read.appliances.list([id])).length > 0;
  if (!isKnown) throw kind === "property" ? propertyNotFound() : notFound("Appliance not found");
  const filter: NarrowFilter = {
    ...(kind === "property" ? { propertyIds: [id] } : { applianceId: id }),
    ...(tier && { tier }),
    elevated: tier !== "GOOD" && (kind === "property" || tier !== undefined),
  };
  if (filter.elevated && byCost) filter.byCost = true;
  const counts = await read.components.countNarrow(filter);
  return {
    rows: await read.components.narrowPage(filter, slice),
    total: counts.GOOD + counts.WARNING + counts.CRITICAL,
  };
}

async function componentsOfPartner(
  { components }: Store["read"],
  partnerId: string,
  { tier, byCost }: By,
  slice: StoredRowRange,
): Promise<Found> {
  const tiers: readonly RiskTier[] = tier ? [tier] : ["CRITICAL", "WARNING"];
  let total = 0;
  for (const one of tiers) total += await components.countTier(partnerId, one);
  const rows =
    tier === "GOOD"
      ? await components.tierPage(partnerId, tier, slice)
      : byCost
        ? await components.costliestPage({ partnerId }, tier, slice)
        : await components.elevatedPage(partnerId, slice, tier);
  return { rows, total };
}
