import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge, Peril, System } from "../../domain/domain-knowledge.ts";
import { type Assumptions, AssumptionsAccumulator } from "../../domain/figures/assumptions.ts";
import { annualBookLosses, type BookLosses } from "../../domain/losses/book-losses.ts";
import { asLossComponent, expectedLossesOf } from "../../domain/losses/component-losses.ts";
import { LossBook } from "../../domain/losses/loss-book.ts";
import { LOSSES, type LossComponent, type LossKind } from "../../domain/losses/loss-component.ts";
import { covarianceWithBook } from "../../domain/losses/loss-drivers.ts";
import type { InsuredLayer } from "../../domain/losses/loss-severity.ts";
import {
  lossClassesWithYearFactors,
  type YearFactor,
  yearFactorsOf,
} from "../../domain/losses/year-factors.ts";
import type { Property } from "../../domain/property.ts";
import { sortInSteps } from "../../domain/steps/computation-steps.ts";
import { type Day, dayOf, type Instant } from "../../domain/time.ts";
import { runYielding, type Yield } from "../../event-loop/event-loop.ts";
import { InProcessKeyedMutex } from "../../event-loop/in-process-keyed-mutex.ts";
import type { LossRow, NamedLossRow } from "../../store/queries/loss-rows-queries.ts";
import { selectStoredLossRows, selectStoredLossRowsOfProperty } from "../../store/select-stored-rows.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { loadActiveModelVersion, loadYearFactorVariances } from "../calibration/load-active-model.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import type { RevisionCache, RevisionCaches, ShownPartner } from "../revision-caches/revision-caches.ts";

/** The amounts whose exceedance by the largest damage of a year is answered, in dollars. */
const LARGEST_DAMAGES = [10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000];

/** The memory that a component takes in a book, in bytes. */
const PART_BYTES = 50;
/** The memory of a damage that costs like no other one. */
const SEVERITY_BYTES = 400;

/** The memory of an answer, in bytes: of each group and property, and of the rest. */
const GROUP_BYTES = 1_200;
const PROPERTY_BYTES = 150;
const ANSWER_BYTES = 20_000;

/** The components of a book; undefined selects all. */
type LossSelection = {
  systems?: ReadonlySet<System> | undefined;
  /** Components whose failure may do damage of one of these perils. */
  perils?: ReadonlySet<Peril> | undefined;
  state?: string | undefined;
  /** In a property's own losses a demo property is never left out. */
  includeDemo: boolean;
};

export type LossRequest = { selection: LossSelection; layer: InsuredLayer };

/** The losses of a selection, with the properties that have a component in it. */
export type SelectedLosses = {
  losses: BookLosses;
  asOf: Day;
  modelVersion: string;
  properties: number;
  /** The units of those properties, in the order of `losses.properties`. */
  unitsOf: readonly number[];
  units: number;
  /** The area of those properties; null unless that of each is known. */
  areaSqft: number | null;
  assumptions: Assumptions;
  yearFactors: readonly YearFactor[];
};

export type LossDeps = {
  store: Pick<Store, "read" | "inReadSnapshot">;
  now: Instant;
  yieldNow: Yield;
  reserveMemory?: (bytes: number) => void;
};

/** A component of a property with what its figures follow from, and what it is expected to cost, in cents. */
type ListedComponent = {
  componentId: string;
  component: LossComponent;
  yearFactorVariance: number;
  expected: Record<LossKind, number>;
};

type ListedComponents = {
  listed: readonly ListedComponent[];
  others: { components: number; expected: Record<LossKind, number> };
};

/** Components that are listed: a workbook writes all of its cells in one stretch. */
const MOST_LISTED = 500;
/** The memory of a component that is listed. */
const LINE_BYTES = 500;

/** Adds a component with the prices of its partner; returns how much memory it takes, in bytes. */
type AddRow<Row extends LossRow = LossRow> = (row: Row, prices: PriceList) => number;

/** A book: a property, or the portfolios of partners. */
type Book = { key: string; partners: readonly ShownPartner[] };

/**
 * Computes the losses of books, and keeps the answers until a partner's revision or the day changes. A book's answers are
 * computed one after the other, so that memory holds the components of one of them.
 */
export class LossBooks {
  readonly #kept: RevisionCache<SelectedLosses>;
  readonly #ofBook = new InProcessKeyedMutex();

  constructor(
    private readonly knowledge: Knowledge,
    caches: RevisionCaches,
  ) {
    this.#kept = caches.open("losses", { bytesOf });
  }

  /** Returns the losses of a partner's portfolio, or of several partners'. */
  async ofPartners(
    deps: LossDeps,
    partners: readonly ShownPartner[],
    request: LossRequest,
  ): Promise<SelectedLosses> {
    const shown = partners.map(({ id, revision }) => ({ id, revision }));
    const book = { key: shown.map(({ id }) => id).join(), partners: shown };
    const { selection } = request;
    const collect = (add: AddRow) =>
      deps.store.inReadSnapshot(async (read) => {
        for (const { id } of partners) {
          const left = selection.includeDemo ? [] : await read.lossRows.demoPropertyIds(id);
          const visit = await this.#visitor(read, id, selection, add, new Set(left));
          await selectStoredLossRows(read, id, visit, deps.yieldNow, deps.reserveMemory);
          // Thousands of partners with a property each are otherwise read without a pause.
          await deps.yieldNow();
        }
      });
    return await this.#once(deps, book, request, collect);
  }

  async ofProperty(
    deps: LossDeps,
    { id: partnerId, revision }: ShownPartner,
    { id }: Property,
    request: LossRequest,
  ): Promise<SelectedLosses> {
    const book = { key: id, partners: [{ id: partnerId, revision }] };
    return await this.#once(deps, book, request, (add) =>
      this.#collectProperty(deps, { id, partnerId }, request.selection, add),
    );
  }

  /** Returns the property's components of a selection that are expected to cost most, first to last, and all others together. */
  async componentsOf(
    deps: LossDeps,
    property: Pick<Property, "id" | "partnerId">,
    { selection, layer }: LossRequest,
  ): Promise<ListedComponents> {
    const { knowledge } = this;
    const lossClassOf = lossClassesWithYearFactors(knowledge, await this.#yearFactors(deps));
    const lines: ListedComponent[] = [];
    await this.#collectProperty(deps, property, selection, (row, prices) => {
      const component = asLossComponent(knowledge, row, prices.ofComponent(row));
      const { yearFactorVariance } = lossClassOf(component.system);
      const expected = expectedLossesOf(component, layer);
      lines.push({ componentId: row.id, component, yearFactorVariance, expected });
      return LINE_BYTES;
    });
    const sorted = await runYielding(
      sortInSteps(lines, (a, b) => b.expected.total - a.expected.total),
      deps.yieldNow,
    );
    const others = sorted.slice(MOST_LISTED);
    const sum = (loss: LossKind) => others.reduce((total, { expected }) => total + expected[loss], 0);
    return {
      listed: sorted.slice(0, MOST_LISTED),
      others: {
        components: others.length,
        expected: { total: sum("total"), damage: sum("damage"), insured: sum("insured") },
      },
    };
  }

  /**
   * Returns the part of the standard deviation of the partner's insured losses that the property causes, in cents: its
   * covariance with the book divided by the book's deviation.
   */
  async shareOfDeviation(
    deps: LossDeps,
    partner: ShownPartner,
    property: Property,
    { selection, layer }: LossRequest,
  ): Promise<number> {
    const wide = { ...selection, includeDemo: selection.includeDemo || property.isDemo };
    const { losses } = await this.ofPartners(deps, [partner], { selection: wide, layer });
    const deviation = losses.insured.standardDeviation;
    if (deviation === 0) return 0;
    const yearFactors = await this.#yearFactors(deps);
    const { book } = await this.#book(layer, yearFactors, (add) =>
      this.#collectProperty(deps, property, selection, add),
    );
    return (
      (await runYielding(covarianceWithBook(losses.variation, book, "insured"), deps.yieldNow)) / deviation
    );
  }

  async #once(
    deps: LossDeps,
    { key: book, partners }: Book,
    request: LossRequest,
    collect: (add: AddRow) => Promise<void>,
  ): Promise<SelectedLosses> {
    const asOf = dayOf(deps.now);
    const modelVersion = await loadActiveModelVersion(deps.store.read, this.knowledge);
    const shown = { partners, day: asOf, besides: modelVersion };
    const key = `${keyOf(request)} ${book}`;
    return await this.#ofBook.run(book, async () => {
      const known = this.#kept.get(key, shown);
      if (known) return known;
      // The caller may have left while it waited.
      await deps.yieldNow();
      const yearFactors = await this.#yearFactors(deps);
      const { book: made, ...about } = await this.#book(request.layer, yearFactors, collect);
      const { lossModelError, modelVersion: base } = this.knowledge;
      const modelError = modelVersion === base ? lossModelError.book : lossModelError.calibrated;
      const losses = await runYielding(annualBookLosses(made, { modelError }), deps.yieldNow);
      const properties = made.properties.keys.length;
      const selected = { losses, asOf, modelVersion, properties, yearFactors, ...about };
      this.#kept.set(key, shown, selected);
      return selected;
    });
  }

  async #yearFactors({ store }: LossDeps): Promise<YearFactor[]> {
    return yearFactorsOf(this.knowledge, await loadYearFactorVariances(store.read, this.knowledge));
  }

  async #book(
    layer: InsuredLayer,
    yearFactors: readonly YearFactor[],
    collect: (add: AddRow) => Promise<void>,
  ): Promise<{ book: LossBook } & Pick<SelectedLosses, "units" | "unitsOf" | "areaSqft" | "assumptions">> {
    const { knowledge } = this;
    const amounts = LARGEST_DAMAGES.map((usd) => usd * 100);
    const book = new LossBook(lossClassesWithYearFactors(knowledge, yearFactors), { layer, amounts });
    const counted = new AssumptionsAccumulator(knowledge);
    const unitsOf: number[] = [];
    let areaSqft = 0;
    await collect((row, prices) => {
      const known = book.properties.keys.length;
      const severities = book.severities.length;
      const costs = prices.ofComponent(row);
      book.add(asLossComponent(knowledge, row, costs));
      counted.add(row, costs);
      const bytes = PART_BYTES + SEVERITY_BYTES * (book.severities.length - severities);
      if (book.properties.keys.length === known) return bytes;
      unitsOf.push(Math.max(row.unitCount, 1));
      areaSqft += row.grossAreaSqft ?? Number.NaN;
      return bytes;
    });
    return {
      book,
      unitsOf,
      units: unitsOf.reduce((sum, units) => sum + units, 0),
      areaSqft: Number.isNaN(areaSqft) ? null : areaSqft,
      assumptions: counted.assumptions,
    };
  }

  async #collectProperty(
    { store, yieldNow, reserveMemory }: LossDeps,
    { id, partnerId }: Pick<Property, "id" | "partnerId">,
    selection: LossSelection,
    add: AddRow<NamedLossRow>,
  ): Promise<void> {
    const visit = await this.#visitor(store.read, partnerId, selection, add);
    await selectStoredLossRowsOfProperty(store, id, visit, yieldNow, reserveMemory);
  }

  /** Returns a function that adds a partner's rows of a selection, and returns how many bytes of memory each retains. */
  async #visitor<Row extends LossRow>(
    read: Stores,
    partnerId: string,
    { systems, perils, state }: LossSelection,
    add: AddRow<Row>,
    leftOut?: ReadonlySet<string>,
  ): Promise<(row: Row) => number> {
    const prices = await loadCurrentPartnerPrices(read, this.knowledge, partnerId);
    return (row) => {
      const { system, damage } = this.knowledge.component(row.defId);
      if (state !== undefined && row.state !== state) return 0;
      if (systems && !systems.has(system)) return 0;
      if (perils && !(damage && perils.has(damage.peril))) return 0;
      if (leftOut?.has(row.propertyId)) return 0;
      return add(row, prices);
    };
  }
}

const bytesOf = ({ losses: { properties, variation } }: SelectedLosses) => {
  let bytes = ANSWER_BYTES + PROPERTY_BYTES * properties.ids.length;
  for (const { squaredProbability } of variation.groups.values())
    bytes += GROUP_BYTES + (1 + LOSSES.length) * squaredProbability.byteLength;
  return bytes;
};

const keyOf = ({ selection: { systems, perils, state, includeDemo }, layer }: LossRequest) =>
  JSON.stringify([
    systems ? [...systems].sort() : null,
    perils ? [...perils].sort() : null,
    state ?? null,
    includeDemo,
    layer.deductible,
    layer.limit,
  ]);
