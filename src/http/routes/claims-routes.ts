import {
  claimInPath,
  format,
  pagingParameters,
  propertyInPath,
} from "../../api-schemas/api-parameter-schemas.ts";
import type { BulkResult } from "../../api-schemas/bulk-schema.ts";
import {
  changedClaimReply,
  claim,
  claimChange,
  claimPage,
  claimReply,
  claimsReply,
  impactsReply,
  newClaims,
  parseClaimListJson,
  parseClaimRequestJson,
  parseNewClaimJson,
  serializeChangedClaim,
  serializeClaim,
  serializeClaimImpact,
  serializeClaimImpacts,
  serializeClaims,
} from "../../api-schemas/claim-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import type { Claim } from "../../domain/claim.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { claimImpactsInSteps } from "../../domain/figures/claim-impact-figure.ts";
import { propertyNotFound } from "../../domain/property.ts";
import { checkNotRetiredRule, isRetired } from "../../domain/rules/retirement-rule.ts";
import { dayOf } from "../../domain/time.ts";
import { mapYielding, runYielding } from "../../event-loop/event-loop.ts";
import { selectStoredComponents } from "../../store/select-stored-rows.ts";
import { loadActiveModelVersion } from "../../usecases/calibration/load-active-model.ts";
import { loadClaimEvidenceOfProperty } from "../../usecases/claims/load-claim-evidence.ts";
import { ClaimLog, correctClaim, loadClaimOfPartner } from "../../usecases/claims/record-claims.ts";
import { httpListReplies, listReply } from "../csv-replies.ts";
import { parseHttpBulkItems, saveHttpBulkItems, writeHttpBulkRequest } from "../http-bulk-request.ts";
import {
  createdReplies,
  createdReply,
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";
import { parseRowRangeHttpQuery } from "../http-query-parameters.ts";
import { requirePropertyInPath } from "./properties-routes.ts";

export function claimOperations(knowledge: Knowledge, bulkItems: number): Operation[] {
  return [
    partnerOperation({
      id: "createClaims",
      method: "POST",
      path: "/v1/property/{id}/claims",
      summary: "Create one insurance claim, or several",
      description:
        "Accepts one claim, or `{claims: [...]}`. Valid claims of a list are saved even if others fail; a single invalid claim is rejected with 400. A claim whose `claim_number` another claim of the property has is rejected with 409, or in a list with an error, which names that claim. The response is the bulk result and, for a single claim, also the fields of its record. An unknown `claim_type` is stored, has no effect on scores, and is listed in `warnings`. Denied claims are stored and never scored.",
      tag: "Claims",
      parameters: [propertyInPath],
      request: {
        type: newClaims,
        example: {
          claim_type: "water_damage",
          date_of_loss: "2025-03-14",
          amount: 12_500,
          claim_number: "CN-2026-0042",
          carrier: "Example Mutual",
          status: "closed",
        },
      },
      replies: createdReplies("Created claims and errors", claimsReply),
      errors: [409],
      body: "json",
      idempotent: true,
      async handle({ body, params, partner, writePortfolio, yieldNow, warn }) {
        const list = parseClaimListJson(body);
        const parsing = { most: bulkItems, read: parseNewClaimJson, yieldNow };
        const items = list && (await parseHttpBulkItems(list, parsing));
        const single = list ? undefined : parseNewClaimJson(body);
        return await writeHttpBulkRequest(items ?? [], warn, (left) =>
          writePortfolio(async (writer) => {
            const { tx } = writer;
            const property = await tx.properties.find(partner.id, params.id!);
            if (!property) throw propertyNotFound();
            checkNotRetiredRule("Property", property);
            const log = new ClaimLog(writer, property);
            const result: BulkResult<Claim> = single
              ? { saved: [await log.add(single)], errors: [] }
              : await saveHttpBulkItems(left, writer, (item) => log.add(item));
            await log.finish();
            const record = serializeClaims(knowledge, result, single !== undefined, dayOf(tx.now));
            return createdReply(addPartnerToJson(record, partner.name));
          }),
        );
      },
    }),
    partnerOperation({
      id: "listClaims",
      method: "GET",
      path: "/v1/property/{id}/claims",
      summary: "List a property's insurance claims, most recent loss first, without voided ones",
      tag: "Claims",
      parameters: [propertyInPath, ...pagingParameters, format],
      replies: httpListReplies("A page of claims", claimPage, claim),
      async handle(call) {
        const { now, params, partner, query, store } = call;
        const slice = parseRowRangeHttpQuery(query);
        const property = await requirePropertyInPath(store, partner, params.id!);
        const claims = await store.read.claims.page(property.id, slice);
        const total = await store.read.claims.count(property.id);
        const records = claims.map((claim) => serializeClaim(knowledge, claim, dayOf(now)));
        const page = claimPage.of(records, slice, total, partner.name, { property_id: property.id });
        return listReply(call, page, "claims", claim);
      },
    }),
    partnerOperation({
      id: "getClaim",
      method: "GET",
      path: "/v1/property/{id}/claims/{claim_id}",
      summary: "Get an insurance claim, also a voided one",
      tag: "Claims",
      parameters: [propertyInPath, claimInPath],
      replies: readOperationReplies("The claim", claimReply),
      async handle({ now, params, partner, store }) {
        const property = await requirePropertyInPath(store, partner, params.id!);
        const found = await loadClaimOfPartner(store.read, property.id, params.claim_id!);
        return okReply(addPartnerToJson(serializeClaim(knowledge, found, dayOf(now)), partner.name));
      },
    }),
    partnerOperation({
      id: "updateClaim",
      method: "PUT",
      path: "/v1/property/{id}/claims/{claim_id}",
      summary: "Update or void an insurance claim",
      description:
        "Accepts any subset of the fields; null clears an optional field. `amount` may be named `amount_paid`, as in the response. `warnings` names values that contradict each other, such as `paid` above `amount`, and fields that cannot be changed. `voided: true`, with a `reason`, voids the claim: it is kept as voided, is in no list, and no longer counts; its number is free. A voided claim cannot be changed anymore (409); voiding it again returns it as it is, with the reason if it had none. Scores are updated before the response. A `claim_number` that another claim of the property has is rejected with 409, which names that claim.",
      tag: "Claims",
      parameters: [propertyInPath, claimInPath],
      request: { type: claimChange.type, example: { status: "closed", paid: 12_500, outstanding: 0 } },
      replies: okReplies("The updated claim", changedClaimReply),
      errors: [409],
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const request = parseClaimRequestJson(body);
        const ids = { propertyId: params.id!, claimId: params.claim_id! };
        return await writePortfolio(async (writer) => {
          const before = await writer.tx.claims.find(ids.claimId);
          const claim = await correctClaim(writer, ids, request);
          const asked = { given: body, before: before! };
          const record = serializeChangedClaim(knowledge, claim, dayOf(writer.tx.now), asked);
          return okReply(addPartnerToJson(record, partner.name));
        });
      },
    }),
    partnerOperation({
      id: "getClaimsImpact",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/claims/impact",
      summary: "Get the current effect of each claim on a property's scores",
      description:
        "At most three claims affect scores: those with the strongest effect today, marked by `scored`. The effect of a claim decreases linearly to none over the five years after the loss. Denied claims are included in the total, have a multiplier of 1.0, and are never scored.",
      tag: "Claims",
      parameters: [propertyInPath],
      replies: readOperationReplies("The effect of the claims on the scores", impactsReply),
      async handle({ reserveMemory, now, params, partner, store, yieldNow }) {
        const property = await requirePropertyInPath(store, partner, params.id!);
        const claims = await loadClaimEvidenceOfProperty(store, property.id, yieldNow, reserveMemory);
        const present = new Map<string, number>();
        const count = ({ defId }: PlacedComponent) => {
          present.set(defId, (present.get(defId) ?? 0) + 1);
          return 0;
        };
        await selectStoredComponents(store, property.id, count, yieldNow);
        const version = await loadActiveModelVersion(store.read, knowledge);
        const found = claimImpactsInSteps(knowledge, claims, present, dayOf(now), isRetired(property));
        const impacts = await runYielding(found, yieldNow);
        const views = await mapYielding(impacts, yieldNow, serializeClaimImpact);
        return okReply(
          addPartnerToJson(serializeClaimImpacts(knowledge, version, property, impacts, views), partner.name),
        );
      },
    }),
  ];
}
