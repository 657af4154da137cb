import type { Claim } from "../../domain/claim.ts";
import { notFound } from "../../domain/errors.ts";
import { claimImpacts } from "../../domain/figures/claims-impact.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { dayOf } from "../../domain/time.ts";
import { ClaimLog } from "../../usecases/claims.ts";
import { modelVersionOf } from "../../usecases/model-in-use.ts";
import { claimsOf } from "../../usecases/property-claims.ts";
import { finishedInTurns, madeInTurns, takeTurns, walkComponents } from "../../usecases/walk.ts";
import type { BulkResult } from "../../wire/bulk.ts";
import {
  claim,
  claimPage,
  claimsReply,
  claimsView,
  claimView,
  impactsReply,
  impactsView,
  impactView,
  newClaims,
  readClaimList,
  readNewClaim,
} from "../../wire/claim.ts";
import { withPartner } from "../../wire/paging.ts";
import { format, propertyInPath, slicing } from "../../wire/parameters.ts";
import { readItems, takeItems } from "../bulk.ts";
import { listReply, readList } from "../csv-lists.ts";
import { created, creates, type Operation, ok, partnerOperation, read } from "../operation.ts";
import { parseSlice } from "../query.ts";
import { getProperty } from "./properties.ts";

export function claimOperations(knowledge: Knowledge, bulkItems: number): Operation[] {
  return [
    partnerOperation({
      id: "createClaims",
      method: "POST",
      path: "/v1/property/{id}/claims",
      summary: "Record an insurance claim, or a list of them of which each good one is kept",
      description:
        "Takes one claim, or `{claims: [...]}` of which each good one is kept when its neighbour fails. A single claim that is invalid is a 400. The answer has the partial-success form, and for a single claim its record beside it. A `claim_type` that is not known is stored, scores nothing, and is named in `warnings`; denied claims are stored and never scored.",
      tag: "Claims",
      parameters: [propertyInPath],
      request: {
        form: newClaims,
        example: {
          claim_type: "water_damage",
          date_of_loss: "2025-03-14",
          amount: 12_500,
          claim_number: "CN-2026-0042",
          carrier: "Example Mutual",
          status: "closed",
        },
      },
      replies: creates("What was recorded and what was refused", claimsReply),
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
          const record = claimsView(knowledge, result, single !== undefined, dayOf(tx.now));
          return created(withPartner(record, partner.name));
        });
      },
    }),
    partnerOperation({
      id: "listClaims",
      method: "GET",
      path: "/v1/property/{id}/claims",
      summary: "A property's insurance claims, the newest date of loss first",
      tag: "Claims",
      parameters: [propertyInPath, ...slicing, format],
      replies: readList("A page of claims", claimPage, claim),
      async handle(call) {
        const { now, params, partner, query, store } = call;
        const slice = parseSlice(query);
        const property = await getProperty(store, partner, params.id!);
        const claims = await store.read.claims.page(property.id, slice);
        const total = await store.read.claims.count(property.id);
        const records = claims.map((claim) => claimView(knowledge, claim, dayOf(now)));
        const page = claimPage.of(records, slice, total, partner.name, { property_id: property.id });
        return listReply(call, page, "claims", claim);
      },
    }),
    partnerOperation({
      id: "getClaimsImpact",
      method: "GET",
      path: "/v1/property/{id}/claims/impact",
      summary: "What each of a property's claims does to its scores today",
      description:
        "At most three claims are scored, the strongest today; `scored` tells which. An effect fades linearly to none over five years from the loss. Denied claims count among the total, weigh 1.0 and are never scored.",
      tag: "Claims",
      parameters: [propertyInPath],
      replies: read("What the claims do to the scores", impactsReply),
      async handle({ hold, now, params, partner, store }) {
        const property = await getProperty(store, partner, params.id!);
        const claims = await claimsOf(store, property.id, hold);
        const present = new Map<string, number>();
        await walkComponents(store, property.id, ({ defId }) => {
          present.set(defId, (present.get(defId) ?? 0) + 1);
          return 0;
        });
        const version = await modelVersionOf(store.read, knowledge);
        const found = claimImpacts(knowledge, claims, present, dayOf(now));
        const impacts = await finishedInTurns(found, takeTurns);
        const views = await madeInTurns(impacts, takeTurns, impactView);
        return ok(withPartner(impactsView(knowledge, version, property, impacts, views), partner.name));
      },
    }),
  ];
}
