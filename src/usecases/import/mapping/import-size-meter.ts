import { Failure } from "../../../domain/errors.ts";
import { MAX_UNITS } from "../../../domain/property.ts";

/**
 * Limits what rows become: a few of them can name hundreds of appliances or thousands of units each, and repeat a long text in
 * all.
 */
export type ImportSizeLimits = {
  records: number;
  units: number;
  /** Components of the properties that rows change, which are scored again. */
  scores: number;
  chars: number;
};

/** Counts what the rows become. */
export class ImportSizeMeter {
  #records = 0;
  #units = 0;
  /** By reference: the units that a property has after its rows so far. */
  readonly #unitsOf = new Map<string, number>();
  #scores = 0;
  #chars = 0;

  constructor(private readonly most: ImportSizeLimits | undefined) {}

  /** Counts a record. Throws payload_too_large if there are too many, or if they are too long together. */
  count(chars: number): void {
    this.#records++;
    this.#chars += chars;
    if (!this.most) return;
    const { records, chars: mostChars } = this.most;
    if (this.#records > records) throw tooMany(`more than ${records} records`);
    if (this.#chars > mostChars) throw tooMany(`records of more than ${mostChars} characters`);
  }

  /**
   * Counts the units that a property gets, beyond those that `exist`, if the cell is a number of them; those of the first row
   * alone, unless each row changes the property as the one before left it. Throws payload_too_large if there are too many.
   */
  countUnits(
    reference: string,
    cell: string | undefined,
    { exist = 0, isUpdating }: { exist?: number | undefined; isUpdating: boolean },
  ): void {
    const units = Number(cell);
    const before = this.#unitsOf.get(reference) ?? exist;
    // The import rejects the row of a property with too many.
    const isPossible = units >= 0 && units <= MAX_UNITS;
    if (isPossible && (units > before || isUpdating)) {
      this.#units += Math.abs(units - before);
      this.#unitsOf.set(reference, units);
    }
    if (this.most && this.#units > this.most.units) throw tooMany(`more than ${this.most.units} units`);
  }

  /** Counts components that a row has scored again. One property may have any number of them. Throws payload_too_large. */
  countScores(components: number): void {
    const isFirst = this.#scores === 0;
    this.#scores += components;
    if (!this.most || isFirst || this.#scores <= this.most.scores) return;
    throw new Failure(
      "payload_too_large",
      `The rows change properties of more than ${this.most.scores} components: send fewer in a request`,
    );
  }
}

const tooMany = (what: string) =>
  new Failure("payload_too_large", `The rows make ${what}: send fewer in a request`);
