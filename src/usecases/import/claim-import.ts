import {
  CLAIM_CHANGES,
  newClaim,
  parseClaimChangeJson,
  parseClaimRequestJson,
  parseNewClaimJson,
  serializeClaimInput,
  serializeClaimListWarnings,
} from "../../api-schemas/claim-schema.ts";
import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import type { Voiding } from "../../api-schemas/voiding-schema.ts";
import type { Claim, ClaimChange, NewClaim } from "../../domain/claim.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import type { Property } from "../../domain/property.ts";
import { ClaimLog } from "../claims/record-claims.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { type Comparison, compareRowWithRecord } from "./compare-import-row-with-record.ts";
import {
  type AddedCounts,
  NOTHING_ADDED,
  type RowBatch,
  type RowCells,
  type RowKind,
  type RowOutcome,
} from "./import-row-kind.ts";
import {
  type BatchRowStatements,
  ImportRowStatements,
  importRowStatement,
  type RowStatement,
} from "./import-row-statements.ts";
import { readImportRowVoiding, VOID_COLUMNS, voidRowOutcome } from "./import-void-columns.ts";
import {
  importedPropertyReference,
  importedPropertyReferenceText,
  PROPERTY_REFERENCES,
  PropertyCache,
  type RowPropertyReference,
} from "./property-import.ts";

type Entry = { claimNumber: string; property: RowPropertyReference; cells: RowCells } & (
  | { input: NewClaim }
  /** For a row that voids the claim, if it is on record. */
  | { voids: Voiding }
);

const COMPARISON: Comparison<Claim, ClaimChange> = {
  fields: CLAIM_CHANGES,
  read: parseClaimChangeJson,
  view: serializeClaimInput,
};

/**
 * Rows of claims, as in a carrier's loss run, matched by the claim number within the property. It is required: without it
 * a second import could not recognize a claim. `amount`, what was paid, is `amount_paid` in lists, and follows `paid` where the
 * row has neither.
 */
export const claimImportRows: RowKind<Entry> = {
  name: "claims",
  fields: {
    partner_property_id: "text",
    property_id: "text",
    ...apiInputCsvColumns(newClaim),
    amount_paid: "number",
    ...VOID_COLUMNS,
  },
  required: ["claim_number", "claim_type", "date_of_loss"],
  references: PROPERTY_REFERENCES,
  read(given) {
    const voids = readImportRowVoiding(given, parseClaimRequestJson);
    if (voids) {
      const { claimNumber = null } = parseClaimChangeJson({ claim_number: given.claim_number });
      return {
        voids,
        claimNumber: requireNumber(claimNumber),
        property: importedPropertyReference(given),
        cells: given,
      };
    }
    const { amount_paid: listed, ...own } = given;
    const cells = { ...own, amount: own.amount ?? listed ?? own.paid };
    if (cells.amount === undefined)
      throw invalid("amount required", [{ field: "amount", message: "or paid is required" }]);
    const input = parseNewClaimJson(cells);
    return {
      input,
      claimNumber: requireNumber(input.claimNumber),
      property: importedPropertyReference(cells),
      cells,
    };
  },
  start() {
    const statements = new ImportRowStatements();
    return (writer) => new ClaimBatch(writer, statements.begin());
  },
};

/** Returns the details by which two claims differ although they have a number in common, such as lines of one per coverage. */
const statementOf = ({ claim_type, date_of_loss, amount, outstanding }: RowCells): RowStatement =>
  importRowStatement({ claim_type, date_of_loss, amount, outstanding });

function requireNumber(claimNumber: string | null): string {
  if (claimNumber !== null) return claimNumber;
  const message =
    "is required, since rows are matched on it; record a claim without a number with POST /v1/property/{property_id}/claims";
  throw invalid("claim_number required", [{ field: "claim_number", message }]);
}

class ClaimBatch implements RowBatch<Entry> {
  readonly #properties: PropertyCache;
  /** By property: the changes of its claims, and the claims by number. */
  readonly #logs = new Map<string, ClaimLog>();
  readonly #claims = new Map<string, Map<string, Claim | null>>();
  #claimsToCheck = 0;
  #olderValuations = 0;

  constructor(
    private readonly writer: PortfolioWriter,
    private readonly statements: BatchRowStatements,
  ) {
    this.#properties = new PropertyCache(writer);
  }

  async preload(entries: readonly Entry[]): Promise<void> {
    await this.#properties.preload(entries.map(({ property }) => property));
    const numbers = new Map<string, Set<string>>();
    for (const { property: reference, claimNumber } of entries) {
      const property = this.#properties.find(reference);
      if (!property || this.#claimsOf(property.id).has(claimNumber)) continue;
      const known = numbers.get(property.id);
      if (known) known.add(claimNumber);
      else numbers.set(property.id, new Set([claimNumber]));
    }
    for (const [propertyId, asked] of numbers) {
      const claims = this.#claimsOf(propertyId);
      for (const number of asked) claims.set(number, null);
      // Claims of before numbers were unique: the first recorded is the one to update.
      for (const claim of await this.writer.tx.claims.ofNumbers(propertyId, [...asked]))
        if (!claims.get(claim.claimNumber!)) claims.set(claim.claimNumber!, claim);
    }
  }

  async apply(entry: Entry, update: boolean): Promise<RowOutcome> {
    const { claimNumber, property: reference, cells } = entry;
    const property = this.#properties.find(reference);
    if (!property) throw notFound(`Property not found: ${importedPropertyReferenceText(reference)}`);
    const claims = this.#claimsOf(property.id);
    const log = this.#logOf(property);
    const there = claims.get(claimNumber);
    if ("voids" in entry) {
      if (!there || !update) return "unchanged";
      claims.set(claimNumber, null);
      return voidRowOutcome(there, await log.void(there, entry.voids));
    }
    if (!there) {
      const added = await log.add(entry.input, { isNumberUnused: true });
      claims.set(claimNumber, added);
      this.statements.contradictions(added.id, statementOf(cells));
      this.#countToCheck(added);
      return "created";
    }
    if (!update) {
      for (const { field, from, to } of this.statements.contradictions(there.id, statementOf(cells)))
        throw conflict(
          `claim_number is that of an earlier row, which states its ${field} as ${from}, not ${to}: state each claim in one row, or update it`,
        );
      return "unchanged";
    }
    const { valuedAt = null } = entry.input;
    if (valuedAt !== null && there.valuedAt !== null && valuedAt < there.valuedAt) {
      this.#olderValuations++;
      return "unchanged";
    }
    const { change, fields } = compareRowWithRecord(COMPARISON, cells, there);
    if (fields.length === 0) return "unchanged";
    const changed = await log.change(there, change);
    claims.set(claimNumber, changed);
    this.#countToCheck(changed);
    return { updated: fields };
  }

  async finish(): Promise<AddedCounts> {
    for (const log of this.#logs.values()) {
      await log.finish();
      await this.writer.tx.yieldToEventLoop();
    }
    return {
      ...NOTHING_ADDED,
      claimsToCheck: this.#claimsToCheck,
      olderValuations: this.#olderValuations,
    };
  }

  committed(): void {
    this.statements.committed();
  }

  #countToCheck(claim: Claim): void {
    if (serializeClaimListWarnings(this.writer.knowledge, [claim]).length > 0) this.#claimsToCheck++;
  }

  #claimsOf(propertyId: string): Map<string, Claim | null> {
    const known = this.#claims.get(propertyId) ?? new Map<string, Claim | null>();
    this.#claims.set(propertyId, known);
    return known;
  }

  #logOf(property: Property): ClaimLog {
    const known = this.#logs.get(property.id) ?? new ClaimLog(this.writer, property);
    this.#logs.set(property.id, known);
    return known;
  }
}
