import type { Claim } from "../../domain/claim.ts";
import { notFound } from "../../domain/errors.ts";
import { type ClaimImpact, claimImpacts } from "../../domain/figures/claims-impact.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { usdFromCents } from "../../domain/money.ts";
import { claimRatio } from "../../domain/scoring/claims.ts";
import { type Day, dayNumber, dayOf, toIso } from "../../domain/time.ts";
import { readClaimList, readNewClaim } from "../../shapes/claim.ts";
import type { ClaimEvidenceRow } from "../../store/claims.ts";
import { ClaimLog } from "../../usecases/claims.ts";
import { type BulkResult, bulkReply, readItems, takeItems } from "../bulk.ts";
import { created, type Operation, ok, partnerOperation } from "../operation.ts";
import { envelope, parseSlice } from "../query.ts";
import { round } from "../views.ts";
import { getProperty } from "./properties.ts";

export function claimOperations(knowledge: Knowledge, bulkItems: number): Operation[] {
  return [
    partnerOperation({
      id: "createClaims",
      method: "POST",
      path: "/v1/property/{id}/claims",
      summary: "Record an insurance claim, or a list of them of which each good one is kept",
      body: "json",
      idempotent: true,
      async handle({ body, params, partner, writePortfolio }) {
        const list = readClaimList(body);
        const items = list && readItems(list, bulkItems, readNewClaim);
        const single = list ? undefined : readNewClaim(body);
        return await writePortfolio(async (writer) => {
          const { tx } = writer;
          const property = await tx.properties.find(partner.id, params.id!);
          if (!property) throw notFound("Property not found");
          const log = new ClaimLog(writer, property);
          const result: BulkResult<Claim> = single
            ? { kept: [await log.add(single)], errors: [] }
            : await takeItems(items!, tx, (item) => log.add(item));
          await log.finish();
          const view = (claim: Claim) => claimView(knowledge, claim, dayOf(tx.now));
          return created({
            // A client that sends one claim may look for its record, or for the body that bulk requests answer with.
            ...(single && view(result.kept[0]!)),
            ...bulkReply(result, view),
            warnings: warningsAbout(knowledge, result.kept),
            partner: partner.name,
          });
        });
      },
    }),
    partnerOperation({
      id: "listClaims",
      method: "GET",
      path: "/v1/property/{id}/claims",
      summary: "A property's insurance claims, the newest date of loss first",
      query: ["limit", "offset"],
      async handle({ now, params, partner, query, store }) {
        const slice = parseSlice(query);
        const property = await getProperty(store, partner, params.id!);
        const claims = await store.read.claims.page(property.id, slice);
        const total = await store.read.claims.count(property.id);
        return ok({
          claims: claims.map((claim) => claimView(knowledge, claim, dayOf(now))),
          property_id: property.id,
          ...envelope(slice, total, partner.name),
        });
      },
    }),
    partnerOperation({
      id: "getClaimsImpact",
      method: "GET",
      path: "/v1/property/{id}/claims/impact",
      summary: "What each of a property's claims does to its scores today",
      async handle({ now, params, partner, store }) {
        const property = await getProperty(store, partner, params.id!);
        const claims = await store.read.claims.evidence([property.id]);
        const components = await store.read.components.ofProperties([property.id]);
        const defIds = components.map((component) => component.defId);
        const impacts = claimImpacts(knowledge, claims, defIds, dayOf(now));
        const active = impacts.filter((impact) => impact.status === "active_scoring").length;
        const { spanYears, counted } = knowledge.model.evidence.claims;
        return ok({
          property_id: property.id,
          name: property.name,
          total_claims: impacts.length,
          active_claims: active,
          expired_claims: impacts.length - active,
          claims: impacts.map(impactView),
          methodology: {
            version: knowledge.modelVersion,
            recency_decay: { decay_years: spanYears },
            max_claims_scored: counted,
          },
          partner: partner.name,
        });
      },
    }),
  ];
}

function claimView(knowledge: Knowledge, claim: Claim, today: Day) {
  return {
    id: claim.id,
    property_id: claim.propertyId,
    claim_type: claim.claimType,
    date_of_loss: claim.dateOfLoss,
    claim_number: claim.claimNumber,
    carrier: claim.carrier,
    amount_paid: usdFromCents(claim.amountCents),
    description: claim.description,
    status: claim.status,
    scoring_impact: ratioView(claimRatio(knowledge, claim, dayNumber(today))),
    created_at: toIso(claim.createdAt),
  };
}

function impactView(impact: ClaimImpact<ClaimEvidenceRow>) {
  return {
    claim_id: impact.claim.id,
    claim_type: impact.claim.claimType,
    label: impact.label,
    date_of_loss: impact.claim.dateOfLoss,
    age_years: round(impact.ageYears, 4),
    base_likelihood_ratio: impact.baseRatio,
    effective_likelihood_ratio: ratioView(impact.effectiveRatio),
    decay_remaining_years: round(impact.remainingYears, 4),
    status: impact.status,
    scored: impact.scored,
    affected_systems: impact.systems,
    affected_components_count: impact.affectedComponents,
  };
}

/** At six decimals a claim is above 1 on each day on which it weighs anything, the last one included. */
const ratioView = (ratio: number) => round(ratio, 6);

/** Names each type once that the knowledge base lacks. */
function warningsAbout(knowledge: Knowledge, claims: readonly Claim[]): string[] {
  const unknown = claims.map(({ claimType }) => claimType).filter((type) => !knowledge.claimType(type));
  return [...new Set(unknown)].map(
    (type) => `Unknown claim_type: ${type}. The claim is stored and bears on no score.`,
  );
}
