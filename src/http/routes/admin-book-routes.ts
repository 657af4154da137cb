import {
  alertOrder,
  alertTier,
  bookPartnersParameter,
  format,
  includeDemo,
  layerTerms,
  lossTerms,
  pagingParameters,
  propertyFilters,
  propertyInPath,
  stateFilter,
  systemFilter,
} from "../../api-schemas/api-parameter-schemas.ts";
import {
  bookAlert,
  bookAlertPage,
  bookItem,
  bookLosses,
  bookPropertiesPage,
  bookProperty,
  bookPropertyPage,
  serializeBookAlert,
  serializeBookItem,
  serializeBookProperty,
} from "../../api-schemas/book-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import { serializePortfolioTotals } from "../../api-schemas/portfolio-schema.ts";
import { addRecalculatingToJson } from "../../api-schemas/recalculating-schema.ts";
import { underwritingReply } from "../../api-schemas/underwriting-schema.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import { type Knowledge, SYSTEMS } from "../../domain/domain-knowledge.ts";
import { placeOfStateOrSubdivision } from "../../domain/places/place.ts";
import { propertyNotFound } from "../../domain/property.ts";
import { loadBookAlerts } from "../../usecases/book-of-business/load-book-alerts.ts";
import { loadBookOfBusinessPartners } from "../../usecases/book-of-business/load-book-of-business-partners.ts";
import {
  loadBookOfBusinessPortfolio,
  loadBookOfBusinessProperties,
} from "../../usecases/book-of-business/load-book-properties.ts";
import { loadCurrentPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import type { LossBooks } from "../../usecases/losses/load-loss-books.ts";
import { loadPricedLosses } from "../../usecases/losses/load-priced-losses.ts";
import { loadPropertyUnderwriting } from "../../usecases/losses/load-property-underwriting.ts";
import { CSV, httpListReplies, listReply } from "../csv-replies.ts";
import { type AdminCall, adminOperation, type Operation, okReplies, okReply } from "../http-operation.ts";
import {
  isDemoInHttpQuery,
  isSortedByCostInHttpQuery,
  parseAlertTierHttpQuery,
  parseChoiceHttpQueryParameter,
  parsePropertyFilterHttpQuery,
  parseRowRangeHttpQuery,
} from "../http-query-parameters.ts";
import {
  parseInsuredLayerHttpQuery,
  parseLossRequestHttpQuery,
  parsePremiumTermsHttpQuery,
} from "../loss-query-parameters.ts";
import { httpLossDeps, lossFileReply } from "../loss-replies.ts";
import {
  httpListAssumptionsColumn,
  httpReplyAssumptionsField,
  PORTFOLIO_ASSUMPTIONS_COLUMN,
} from "../portfolio-assumptions-reply.ts";
import { parseTableFormatParameter, XLSX } from "../workbook-replies.ts";

const replies = okReplies("The losses", bookLosses);
const lossReplies = { 200: { ...replies[200], alternativeType: [CSV, XLSX] } };

const LISTED = "By partner, then oldest first. `partner_id` restricts the book to some partners.";

/** The operations on the book: the properties, alerts and losses of all partners. */
export function adminBookOperations(knowledge: Knowledge, books: LossBooks): Operation[] {
  return [
    adminOperation({
      id: "getBookSummary",
      method: "GET",
      path: "/admin/book/summary",
      summary: "List the properties of all partners with their risk and costs, and totals",
      description: LISTED,
      tag: "Administration",
      parameters: [bookPartnersParameter, ...propertyFilters, ...pagingParameters, includeDemo, format],
      replies: httpListReplies(
        "A page of the book",
        bookPropertiesPage,
        bookItem,
        PORTFOLIO_ASSUMPTIONS_COLUMN,
      ),
      errors: [404],
      async handle(call) {
        const { query, store, yieldNow } = call;
        const slice = parseRowRangeHttpQuery(query);
        const filter = parsePropertyFilterHttpQuery(query, knowledge.knownHazards);
        const selection = { partnerIds: partnerIdsOf(call), filter };
        const found = await loadBookOfBusinessPortfolio(
          { store, knowledge, yieldNow },
          selection,
          isDemoInHttpQuery(query),
          slice,
        );
        const items = found.rows.map((row) => serializeBookItem(knowledge, row));
        const totals = serializePortfolioTotals(knowledge, found.totals, found.flags);
        const assumptions = await httpReplyAssumptionsField(store.read, knowledge, found.counted);
        const sums = addRecalculatingToJson({ totals, assumptions }, found.isRecalculating);
        const page = bookPropertiesPage.of(items, slice, found.total, sums);
        return listReply(call, page, "portfolio", bookItem, httpListAssumptionsColumn(page, assumptions));
      },
    }),
    adminOperation({
      id: "listBookProperties",
      method: "GET",
      path: "/admin/book/properties",
      summary: "List the properties of all partners",
      description: LISTED,
      tag: "Administration",
      parameters: [bookPartnersParameter, ...propertyFilters, ...pagingParameters, format],
      replies: httpListReplies("A page of properties", bookPropertyPage, bookProperty),
      errors: [404],
      async handle(call) {
        const { query, store, yieldNow } = call;
        const slice = parseRowRangeHttpQuery(query);
        const filter = parsePropertyFilterHttpQuery(query, knowledge.knownHazards);
        const selection = { partnerIds: partnerIdsOf(call), filter };
        const { rows, total } = await loadBookOfBusinessProperties({ store, yieldNow }, selection, slice);
        const page = bookPropertyPage.of(rows.map(serializeBookProperty), slice, total);
        return listReply(call, page, "properties", bookProperty);
      },
    }),
    adminOperation({
      id: "listBookAlerts",
      method: "GET",
      path: "/admin/book/alerts",
      summary: "List CRITICAL and WARNING components of all partners by score or expected cost",
      description: "`partner_id` restricts the book to some partners.",
      tag: "Administration",
      parameters: [
        bookPartnersParameter,
        alertTier,
        systemFilter,
        stateFilter,
        alertOrder,
        ...pagingParameters,
        format,
      ],
      replies: httpListReplies("A page of alerts", bookAlertPage, bookAlert),
      errors: [404],
      async handle(call) {
        const { query, store, yieldNow } = call;
        const slice = parseRowRangeHttpQuery(query);
        const state = query.get("state");
        const selection = {
          order: isSortedByCostInHttpQuery(query) ? ("cost" as const) : ("score" as const),
          partnerIds: partnerIdsOf(call),
          tier: parseAlertTierHttpQuery(query),
          system: parseChoiceHttpQueryParameter(query, "system", SYSTEMS),
          state: state === undefined ? undefined : placeOfStateOrSubdivision(state),
        };
        const { rows, critical, warning } = await loadBookAlerts({ store, yieldNow }, selection, slice);
        const prices = new Map<string, PriceList>();
        for (const partnerId of new Set(rows.map((row) => row.partnerId)))
          prices.set(partnerId, await loadCurrentPartnerPrices(store.read, knowledge, partnerId));
        const alerts = rows.map(({ partner, ...row }) =>
          serializeBookAlert(prices.get(row.partnerId)!, partner, row),
        );
        const page = bookAlertPage.of(alerts, slice, critical + warning, {
          critical_count: critical,
          warning_count: warning,
        });
        return listReply(call, page, "alerts", bookAlert);
      },
    }),
    adminOperation({
      id: "getBookLosses",
      method: "GET",
      path: "/admin/book/losses",
      summary: "Get the expected losses and worst years of all partners",
      description:
        "The response of `/v1/portfolio/losses` for the properties of all partners, or of those named by `partner_id`.",
      tag: "Administration",
      parameters: [bookPartnersParameter, ...lossTerms],
      replies: lossReplies,
      errors: [404],
      async handle(call) {
        const { query, request, store } = call;
        const asked = parseLossRequestHttpQuery(query);
        const terms = parsePremiumTermsHttpQuery(query);
        const format = parseTableFormatParameter(call);
        const members = await loadBookOfBusinessPartners(store.read, partnerIdsOf(call));
        const selected = await books.ofPartners(httpLossDeps(call), members, asked);
        const deviation = async () => selected.losses.insured.standardDeviation;
        const losses = await loadPricedLosses(knowledge, selected, asked, { terms, deviation });
        return (
          (await lossFileReply(request, format, losses, "book-losses")) ??
          okReply({ ...losses, partners: members.length })
        );
      },
    }),
    adminOperation({
      id: "getUnderwriting",
      method: "GET",
      path: "/admin/properties/{id}/underwriting",
      summary: "Get a property's underwriting figures, compared with the book of all partners",
      tag: "Administration",
      parameters: [propertyInPath, ...layerTerms],
      replies: okReplies("The underwriting page", underwritingReply),
      errors: [404],
      async handle(call) {
        const { params, query, store } = call;
        const request = parseInsuredLayerHttpQuery(query);
        const partnerId = await store.read.properties.ownerOf(params.id!);
        const property = partnerId && (await store.read.properties.find(partnerId, params.id!));
        if (!property) throw propertyNotFound();
        const [owner] = await loadBookOfBusinessPartners(store.read, new Set([partnerId]));
        const subject = { property, owner: owner!, among: "book" } as const;
        const made = await loadPropertyUnderwriting(httpLossDeps(call), knowledge, books, subject, request);
        return okReply(addPartnerToJson(made, owner!.name));
      },
    }),
  ];
}

/** Returns the IDs of the partners that a call restricts the book to; undefined for all. */
function partnerIdsOf({ query }: AdminCall): ReadonlySet<string> | undefined {
  const ids = query.get("partner_id")?.split(",");
  return ids && new Set(ids.map((id) => id.trim()));
}
