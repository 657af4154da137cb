import {
  type Claim,
  type ClaimChange,
  type ClaimStatus,
  claimIncurredCents,
  type NewClaim,
} from "../domain/claim.ts";
import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import {
  type ClaimImpact,
  type ClaimScoringStatus,
  UNSCORED_REASONS,
  type UnscoredReason,
} from "../domain/figures/claim-impact-figure.ts";
import { claimHazardRatio } from "../domain/scoring/claim-evidence.ts";
import type { ClaimEvidence } from "../domain/scoring/scoring-types.ts";
import { type Day, dayNumber, isoTextOfInstant } from "../domain/time.ts";
import { type BulkResult, bulkResultSchemaFields, serializeBulkResult } from "./bulk-schema.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import { type JsonOf, type OptionalType, RecordType } from "./definition/api-schema-type.ts";
import {
  bodySchema,
  documentedSchema,
  type InputOf,
  inputSchema,
  itemsFieldSchema,
  nullableSchema,
  optionalSchema,
  requiredSchema,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import {
  jsonUsdFromCents,
  jsonUsdFromCentsOrNull,
  roundJsonNumber,
} from "./definition/json-unit-conversion.ts";
import {
  anyOfSchema,
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  numberSchema,
  objectSchema,
  openEnumSchema,
  recordSchema,
  textListSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { pageSchema, schemaWithPartner } from "./paging-schema.ts";
import {
  type ChangeOrVoid,
  parseVoidRequestJson,
  serializeVoiding,
  voidFields,
  voidInput,
} from "./voiding-schema.ts";

/** A multiplier on the hazard of failure; 1 has no effect. */
const ratio = (description: string, example: number) => numberSchema(description, example, { minimum: 0 });

const CLAIM_TYPE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** The stored fields of an insurance claim. */
const claimFields = {
  id: idSchema("CLM", "The claim's ID"),
  property_id: idSchema("P", "The property"),
  claim_type: openEnumSchema(
    "ClaimType",
    { pattern: CLAIM_TYPE.source, maxLength: 64 },
    "Type of loss. Any other text in snake_case is stored, but has no effect on scores",
    "water_damage",
  ),
  date_of_loss: daySchema("Date of the loss", "2025-03-14"),
  claim_number: textSchema("The carrier's claim number", "CN-2026-0042").orNull(),
  carrier: textSchema("Insurance carrier", "Example Mutual").orNull(),
  amount_paid: usdSchema("Amount paid on the claim", 12_500),
  description: textSchema("Description of the loss", "Supply line burst in unit 4").orNull(),
  status: enumSchema<ClaimStatus>(
    ["open", "closed", "denied"],
    "Status of the claim; denied claims are never scored",
    "closed",
  ),
  paid: usdSchema("Paid to date, as in the carrier's loss run", 9_000).orNull(),
  outstanding: usdSchema("Reserve of the carrier for what is still to be paid", 3_500).orNull(),
  incurred: usdSchema(
    "Paid and outstanding, where `amount_paid` stands for an unknown `paid`; null if neither is known",
    12_500,
  ).orNull(),
  deductible: usdSchema("Deductible of the policy", 5_000).orNull(),
  alae: usdSchema("Allocated loss adjustment expenses", 800).orNull(),
  catastrophe_code: textSchema("The carrier's or PCS code of the catastrophe", "2541").orNull(),
  reported_on: daySchema("Date on which the claim was reported", "2025-03-16").orNull(),
  closed_on: daySchema("Date on which the claim was closed", "2025-09-01").orNull(),
  valued_at: daySchema("Valuation date of the amounts", "2026-01-31").orNull(),
  ...voidFields,
  created_at: instantSchema("When the record was created"),
};

/** A claim in an export, which leaves out the effect on scores because it changes daily. */
export const storedClaim = objectSchema(claimFields);

export const serializeStoredClaim = storedClaim.serializer((claim: Claim) => ({
  id: claim.id,
  property_id: claim.propertyId,
  claim_type: claim.claimType,
  date_of_loss: claim.dateOfLoss,
  claim_number: claim.claimNumber,
  carrier: claim.carrier,
  amount_paid: jsonUsdFromCents(claim.amountCents),
  description: claim.description,
  status: claim.status,
  paid: jsonUsdFromCentsOrNull(claim.paidCents),
  outstanding: jsonUsdFromCentsOrNull(claim.outstandingCents),
  incurred: jsonUsdFromCentsOrNull(claimIncurredCents(claim)),
  deductible: jsonUsdFromCentsOrNull(claim.deductibleCents),
  alae: jsonUsdFromCentsOrNull(claim.alaeCents),
  catastrophe_code: claim.catastropheCode,
  reported_on: claim.reportedOn,
  closed_on: claim.closedOn,
  valued_at: claim.valuedAt,
  ...serializeVoiding(claim),
  created_at: isoTextOfInstant(claim.createdAt),
}));

/** Returns a claim with the amount under the name of requests, to compare it with one. */
export const serializeClaimInput = (claim: Claim) => ({
  ...serializeStoredClaim(claim),
  amount: jsonUsdFromCents(claim.amountCents),
});

export const claim = recordSchema("Claim", {
  ...claimFields,
  scoring_impact: ratio("Current multiplier of the claim on the failure hazard", 1.54),
});
export type ClaimJson = JsonOf<typeof claim>;

export const serializeClaim = claim.serializer((knowledge: Knowledge, claim: Claim, today: Day) => ({
  ...serializeStoredClaim(claim),
  scoring_impact:
    claim.voidedAt === null ? serializeClaimRatio(claimHazardRatio(knowledge, claim, dayNumber(today))) : 1,
}));
export const claimReply = schemaWithPartner(claim);
export const claimPage = pageSchema("claims", claim, { property_id: claimFields.property_id });

const warnings = textListSchema(
  "Stored values that have no effect on scores, that contradict each other, or that were not changed",
  [
    "claim CLM_01m7xtg343ff0b7c2d4e6g8hjk: paid, 700.00, is more than amount, 500.00: correct the one that is wrong",
  ],
);

const changedClaim = claim.and({ warnings });
export const changedClaimReply = schemaWithPartner(changedClaim);

/** A request to change a claim, which may be the whole record as it was answered. */
type Asked = { given: object; before: Claim };

export const serializeChangedClaim = changedClaim.serializer(
  (knowledge: Knowledge, claim: Claim, today: Day, asked: Asked) => ({
    ...serializeClaim(knowledge, claim, today),
    warnings: serializeClaimWarnings(knowledge, claim, asked),
  }),
);

/** Returns the warnings about a changed claim, and about values of the request for fields that cannot be changed. */
export const serializeClaimWarnings = (knowledge: Knowledge, claim: Claim, asked: Asked): string[] => [
  ...serializeClaimListWarnings(knowledge, [claim]),
  ...ignoredIn(asked, claim),
];

/** Fields of the answer that follow from others or never change. */
const FIXED = ["id", "property_id", "amount_paid", "incurred", "created_at"] as const;

function ignoredIn({ given, before }: Asked, claim: Claim): string[] {
  const values = new Map<string, unknown>(Object.entries(given));
  const [from, stored] = [serializeStoredClaim(before), serializeStoredClaim(claim)];
  return FIXED.filter(
    (field) => values.has(field) && ![from[field], stored[field]].includes(values.get(field) as never),
  ).map((field) => {
    if (field === "incurred")
      return `incurred cannot be changed: it is ${stored.incurred}, by paid and outstanding`;
    if (field === "amount_paid") return `amount_paid is ${stored.amount_paid}, by amount: send one of them`;
    return `${field} cannot be changed: it is still ${stored[field]}`;
  });
}

/** The fields of a claim, all optional, since only the response to a single claim has them. */
const single = Object.fromEntries(
  Object.entries(claim.fields).map(([name, field]) => [name, field.orAbsent()]),
) as { [K in keyof typeof claim.fields]: OptionalType<JsonOf<(typeof claim.fields)[K]>> };

const claimsResult = new RecordType({
  ...bulkResultSchemaFields("The created claims", claim),
  ...single,
  warnings,
});

/** Serializes a bulk result, and for a single claim also its record: clients rely on either. */
export const serializeClaims = claimsResult.serializer(
  (knowledge: Knowledge, result: BulkResult<Claim>, isSingle: boolean, today: Day) => {
    const view = (claim: Claim) => serializeClaim(knowledge, claim, today);
    return {
      ...(isSingle && view(result.saved[0]!)),
      ...serializeBulkResult(result, view),
      warnings: serializeClaimListWarnings(knowledge, result.saved),
    };
  },
);
export const claimsReply = schemaWithPartner(claimsResult);

/** Returns a warning for each claim type that the knowledge base lacks, and for each value that contradicts another. */
export function serializeClaimListWarnings(knowledge: Knowledge, claims: readonly Claim[]): string[] {
  const unknown = claims.map(({ claimType }) => claimType).filter((type) => !knowledge.claimType(type));
  return [
    ...[...new Set(unknown)].map((type) => `Unknown claim_type ${type}: stored, no effect on scores`),
    ...claims.flatMap(contradictionsIn),
  ];
}

function contradictionsIn({ id, amountCents, paidCents, status, closedOn }: Claim): string[] {
  const usd = (cents: number) => jsonUsdFromCents(cents).toFixed(2);
  return [
    ...(paidCents !== null && paidCents > amountCents
      ? [
          `claim ${id}: paid, ${usd(paidCents)}, is more than amount, ${usd(amountCents)}: correct the one that is wrong`,
        ]
      : []),
    ...(status === "open" && closedOn !== null
      ? [`claim ${id}: closed_on is ${closedOn}, but status is open: correct the one that is wrong`]
      : []),
  ];
}

const impact = recordSchema("ClaimImpact", {
  claim_id: idSchema("CLM", "The claim"),
  claim_type: claimFields.claim_type,
  label: textSchema("Display name of the type of loss", "Water damage"),
  date_of_loss: claimFields.date_of_loss,
  age_years: numberSchema("Years since the loss", 1.69),
  base_likelihood_ratio: ratio("Multiplier on the failure hazard at the date of loss", 1.8),
  effective_likelihood_ratio: ratio("Multiplier on the failure hazard today, reduced by age", 1.54),
  decay_remaining_years: numberSchema("Years until the claim has no effect; 0 if it has none", 3.4, {
    minimum: 0,
  }),
  status: enumSchema<ClaimScoringStatus>(
    ["active_scoring", "expired_no_impact"],
    "Whether the claim still affects scores",
  ),
  reason: enumSchema<UnscoredReason>(
    UNSCORED_REASONS,
    "Why the claim has no effect: too old, denied, of a type that is not scored, or of a retired property; null if it has one",
    "expired",
  ).orNull(),
  scored: flagSchema("Whether it is one of the claims that are scored"),
  affected_systems: textListSchema("Building systems affected by this type of claim", ["plumbing"]),
  affected_components_count: wholeNumberSchema(
    "Components of the property affected by this type of claim",
    6,
  ),
});

type Impact = ClaimImpact<ClaimEvidence & { id: string }>;
export const serializeClaimImpact = impact.serializer((impact: Impact) => ({
  claim_id: impact.claim.id,
  claim_type: impact.claim.claimType,
  label: impact.label,
  date_of_loss: impact.claim.dateOfLoss,
  age_years: roundJsonNumber(impact.ageYears, 4),
  base_likelihood_ratio: impact.baseRatio,
  effective_likelihood_ratio: serializeClaimRatio(impact.effectiveRatio),
  decay_remaining_years: roundJsonNumber(impact.remainingYears, 4),
  status: impact.status,
  reason: impact.reason,
  scored: impact.scored,
  affected_systems: impact.systems,
  affected_components_count: impact.affectedComponents,
}));

const impacts = objectSchema({
  property_id: claimFields.property_id,
  name: textSchema("The property's display name", "Harbor View Apartments"),
  total_claims: wholeNumberSchema("Claims on record", 1),
  active_claims: wholeNumberSchema("Claims within the decay period that are scored or could be", 1),
  expired_claims: wholeNumberSchema(
    "Claims without effect: too old, denied, or of a type that is not scored",
    0,
  ),
  claims: listSchema("The claims, most recent loss first", impact),
  methodology: objectSchema({
    version: textSchema("Version of the scoring model", "2"),
    recency_decay: objectSchema({
      decay_years: wholeNumberSchema("Years until a claim has no effect", 5),
    }).describedAs("How the effect of a claim decreases"),
    max_claims_scored: wholeNumberSchema("Maximum number of claims that are scored", 3),
  }).describedAs("How the claims are scored"),
});

export const serializeClaimImpacts = impacts.serializer(
  (
    { model }: Knowledge,
    modelVersion: string,
    property: { id: string; name: string },
    all: readonly Impact[],
    claims: ReturnType<typeof serializeClaimImpact>[],
  ) => {
    const active = all.filter(({ status }) => status === "active_scoring").length;
    const { spanYears, counted } = model.evidence.claims;
    return {
      property_id: property.id,
      name: property.name,
      total_claims: all.length,
      active_claims: active,
      expired_claims: all.length - active,
      claims,
      methodology: {
        version: modelVersion,
        recency_decay: { decay_years: spanYears },
        max_claims_scored: counted,
      },
    };
  },
);
export const impactsReply = schemaWithPartner(impacts);

/** Rounds to six decimals, at which a ratio exceeds 1 even on the last day on which the claim has an effect. */
const serializeClaimRatio = (ratio: number) => roundJsonNumber(ratio, 6);

const claimType = defineSchemaConstraint((type) =>
  type("string <= 64")
    .narrow((value) => CLAIM_TYPE.test(value.trim()))
    .describe("snake_case text of at most 64 characters, such as water_damage"),
);

const optionalFields = {
  claim_number: nullableSchema(constraint.line, claimFields.claim_number),
  carrier: nullableSchema(constraint.line, claimFields.carrier),
  description: nullableSchema(constraint.longText, claimFields.description),
  paid: nullableSchema(constraint.usd, claimFields.paid),
  outstanding: nullableSchema(constraint.usd, claimFields.outstanding),
  deductible: nullableSchema(constraint.usd, claimFields.deductible),
  alae: nullableSchema(constraint.usd, claimFields.alae),
  catastrophe_code: nullableSchema(constraint.line, claimFields.catastrophe_code),
  reported_on: nullableSchema(constraint.day, claimFields.reported_on),
  closed_on: nullableSchema(constraint.day, claimFields.closed_on),
  valued_at: nullableSchema(constraint.day, claimFields.valued_at),
} as const;

export const newClaim = inputSchema("NewClaim", {
  claim_type: documentedSchema(requiredSchema(claimType, claimFields.claim_type), claimFields.claim_type),
  date_of_loss: requiredSchema(constraint.day, claimFields.date_of_loss),
  amount: requiredSchema(constraint.usd, claimFields.amount_paid),
  status: nullableSchema(constraint.claimStatus, claimFields.status),
  ...optionalFields,
});

/** Any subset of a claim's fields; null clears an optional one. */
export const claimChange = inputSchema("ClaimChange", {
  claim_type: documentedSchema(optionalSchema(claimType, claimFields.claim_type), claimFields.claim_type),
  date_of_loss: optionalSchema(constraint.day, claimFields.date_of_loss),
  amount: optionalSchema(constraint.usd, claimFields.amount_paid),
  amount_paid: optionalSchema(
    constraint.usd,
    claimFields.amount_paid.describedAs("The same as `amount`, by the name that it has in responses"),
  ),
  status: optionalSchema(constraint.claimStatus, claimFields.status),
  ...optionalFields,
  ...voidInput,
});

const claimList = bodySchema({ claims: itemsFieldSchema("The claims to create", newClaim) });
/** The body of a request: a single claim, or a list. */
export const newClaims = anyOfSchema(newClaim.type, claimList.type);

/** Reads a new claim from a request. Throws invalid_request. */
export function parseNewClaimJson(given: unknown): NewClaim {
  const json = newClaim.parse(given);
  return {
    claimType: json.claim_type.trim(),
    dateOfLoss: json.date_of_loss,
    amountCents: centsFromUsd(json.amount),
    status: json.status ?? "open",
    claimNumber: schemaTextOrNull(json.claim_number),
    carrier: schemaTextOrNull(json.carrier),
    description: schemaTextOrNull(json.description),
    ...readOptional(json),
  };
}

/** Reads a change, which has only the fields of the request, or a request to void the claim. Throws invalid_request. */
export function parseClaimRequestJson(given: unknown): ChangeOrVoid<ClaimChange> {
  const { voided, reason, ...json } = claimChange.parse(given);
  const fields = CLAIM_CHANGES.filter((name) => Object.hasOwn(json, name));
  const voiding = parseVoidRequestJson({ voided, reason }, fields);
  return voiding ? { void: voiding } : { change: readChange(json) };
}

/** The fields that a change may have. */
export const CLAIM_CHANGES = Object.keys(claimChange.fields).filter((name) => !(name in voidInput));

/** Reads a change, which has only the fields of the request. Throws invalid_request. */
export const parseClaimChangeJson = (given: unknown): ClaimChange => readChange(claimChange.parse(given));

function readChange(json: InputOf<typeof claimChange.fields>): ClaimChange {
  const change: ClaimChange = readOptional(json);
  if (json.claim_type !== undefined) change.claimType = json.claim_type.trim();
  if (json.date_of_loss !== undefined) change.dateOfLoss = json.date_of_loss;
  // A record that is sent back with an amount still has its former amount_paid.
  const amount = json.amount ?? json.amount_paid;
  if (amount !== undefined) change.amountCents = centsFromUsd(amount);
  if (json.status !== undefined) change.status = json.status;
  return change;
}

type OptionalInput = Partial<InputOf<typeof optionalFields>>;

/** Reads the optional fields that are in the request. */
function readOptional(
  json: OptionalInput,
): Omit<ClaimChange, "claimType" | "dateOfLoss" | "amountCents" | "status"> {
  const read: ReturnType<typeof readOptional> = {};
  if (json.claim_number !== undefined) read.claimNumber = schemaTextOrNull(json.claim_number);
  if (json.carrier !== undefined) read.carrier = schemaTextOrNull(json.carrier);
  if (json.description !== undefined) read.description = schemaTextOrNull(json.description);
  if (json.paid !== undefined) read.paidCents = centsOrNull(json.paid);
  if (json.outstanding !== undefined) read.outstandingCents = centsOrNull(json.outstanding);
  if (json.deductible !== undefined) read.deductibleCents = centsOrNull(json.deductible);
  if (json.alae !== undefined) read.alaeCents = centsOrNull(json.alae);
  if (json.catastrophe_code !== undefined) read.catastropheCode = schemaTextOrNull(json.catastrophe_code);
  if (json.reported_on !== undefined) read.reportedOn = json.reported_on;
  if (json.closed_on !== undefined) read.closedOn = json.closed_on;
  if (json.valued_at !== undefined) read.valuedAt = json.valued_at;
  return read;
}

const centsOrNull = (usd: number | null) => (usd === null ? null : centsFromUsd(usd));

/** Returns the unread items of a list of claims; undefined for a single claim. */
export function parseClaimListJson(given: Record<string, unknown>): readonly unknown[] | undefined {
  const isList = Object.hasOwn(given, "claims") && given.claims !== null;
  return isList ? claimList.parse(given).claims : undefined;
}
