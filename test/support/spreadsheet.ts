import { parseCellRef, readXlsx } from "hucre/xlsx";

/*
 * A small spreadsheet program: recalculates the formulas of a workbook from what was entered. It knows what the
 * product's workbooks use, and nothing of how these are made.
 */

export type Value = number | string | null;
type Entered = { value: Value; formula: string | undefined };

/** A workbook whose cells can be read and changed, by `Sheet!A1`. */
export class Spreadsheet {
  readonly #computed = new Map<string, Value>();
  readonly #computing = new Set<string>();

  private constructor(private readonly cells: Map<string, Entered>) {}

  static async read(bytes: Uint8Array): Promise<Spreadsheet> {
    const { sheets } = await readXlsx(bytes, { readStyles: true });
    const cells = new Map<string, Entered>();
    for (const sheet of sheets) {
      for (const [row, values] of sheet.rows.entries())
        for (const [column, value] of values.entries())
          if (value !== null && value !== undefined)
            cells.set(`${sheet.name}!${row},${column}`, { value: value as Value, formula: undefined });
      for (const [at, cell] of sheet.cells ?? [])
        if (cell.formula !== undefined)
          cells.set(`${sheet.name}!${at}`, {
            value: (cell.formulaResult ?? cell.value ?? null) as Value,
            formula: cell.formula,
          });
    }
    return new Spreadsheet(cells);
  }

  /** Returns the addresses of all formulas. */
  get formulas(): string[] {
    return [...this.cells].filter(([, { formula }]) => formula !== undefined).map(([at]) => at);
  }

  /** Returns the value of a cell as it stands in the file. */
  saved(address: string): Value {
    return this.cells.get(keyOf(address))?.value ?? null;
  }

  /** Returns the value of a cell as computed now. */
  value(address: string): Value {
    return this.#value(keyOf(address));
  }

  number(address: string): number {
    return toNumber(this.value(address));
  }

  /** Enters a number, as a reader does. */
  enter(address: string, value: number): void {
    this.cells.set(keyOf(address), { value, formula: undefined });
    this.#computed.clear();
  }

  /** Returns the rows of a sheet by the text in their first or second column. */
  rowsWith(sheet: string, column: number, text: string): number[] {
    return [...this.cells].flatMap(([at, { value }]) => {
      const [name, place] = split(at);
      const [row, of] = place.split(",").map(Number) as [number, number];
      return name === sheet && of === column && value === text ? [row + 1] : [];
    });
  }

  #value(key: string): Value {
    const known = this.#computed.get(key);
    if (known !== undefined) return known;
    const cell = this.cells.get(key);
    if (cell?.formula === undefined) return cell?.value ?? null;
    if (this.#computing.has(key)) throw new Error(`${key} depends on itself`);
    this.#computing.add(key);
    const value = new Formula(cell.formula, split(key)[0], (at) => this.#value(at)).compute();
    this.#computing.delete(key);
    this.#computed.set(key, value);
    return value;
  }
}

const split = (key: string): [sheet: string, place: string] => {
  const at = key.lastIndexOf("!");
  return [key.slice(0, at), key.slice(at + 1)];
};

function keyOf(address: string): string {
  const [sheet, place] = split(address);
  if (place.includes(",")) return address;
  const { row, col } = parseCellRef(place.replaceAll("$", ""));
  return `${sheet}!${row},${col}`;
}

function toNumber(value: Value): number {
  if (value === null || value === "") return 0;
  if (typeof value === "number") return value;
  throw new Error(`${JSON.stringify(value)} is not a number`);
}

type Operand = Value | Value[];
const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|"((?:[^"]|"")*)"|((?:'(?:[^']|'')+'!|[A-Za-z]\w*!)?\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)|([A-Z]+)(?=\()|(<=|>=|<>|[-+*/^(),<>=]))/y;

/** A formula of a cell. Throws for what it does not know. */
class Formula {
  readonly #tokens: { kind: "number" | "text" | "cells" | "name" | "sign"; text: string }[] = [];
  #at = 0;

  constructor(
    readonly text: string,
    private readonly sheet: string,
    private readonly valueAt: (key: string) => Value,
  ) {
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const match = TOKEN.exec(text);
      if (!match) throw new Error(`cannot read ${text}`);
      const at = match.slice(1).findIndex((part) => part !== undefined);
      this.#tokens.push({
        kind: (["number", "text", "cells", "name", "sign"] as const)[at]!,
        text: match[at + 1]!,
      });
    }
  }

  compute(): Value {
    const value = this.#comparison();
    if (this.#at < this.#tokens.length) throw new Error(`cannot compute ${this.text}`);
    return single(value);
  }

  #takes(...signs: string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "sign" || !signs.includes(token.text)) return undefined;
    this.#at++;
    return token.text;
  }

  #comparison(): Operand {
    let left = this.#sum();
    for (
      let sign = this.#takes("<", ">", "=", "<=", ">=", "<>");
      sign;
      sign = this.#takes("<", ">", "=", "<=", ">=", "<>")
    ) {
      const difference = toNumber(single(left)) - toNumber(single(this.#sum()));
      const holds = {
        "<": difference < 0,
        ">": difference > 0,
        "=": difference === 0,
        "<=": difference <= 0,
        ">=": difference >= 0,
        "<>": difference !== 0,
      }[sign];
      left = holds ? 1 : 0;
    }
    return left;
  }

  #sum(): Operand {
    let left = this.#product();
    for (let sign = this.#takes("+", "-"); sign; sign = this.#takes("+", "-")) {
      const right = toNumber(single(this.#product()));
      left = toNumber(single(left)) + (sign === "+" ? right : -right);
    }
    return left;
  }

  #product(): Operand {
    let left = this.#power();
    for (let sign = this.#takes("*", "/"); sign; sign = this.#takes("*", "/")) {
      const right = toNumber(single(this.#power()));
      // An error of a spreadsheet, which only counts where it is used.
      if (sign === "/" && right === 0) return Number.NaN;
      left = sign === "*" ? toNumber(single(left)) * right : toNumber(single(left)) / right;
    }
    return left;
  }

  #power(): Operand {
    const left = this.#operand();
    return this.#takes("^") ? toNumber(single(left)) ** toNumber(single(this.#power())) : left;
  }

  #operand(): Operand {
    if (this.#takes("-")) return -toNumber(single(this.#operand()));
    if (this.#takes("(")) {
      const value = this.#comparison();
      if (!this.#takes(")")) throw new Error(`a parenthesis is open in ${this.text}`);
      return value;
    }
    const token = this.#tokens[this.#at++];
    if (token?.kind === "number") return Number(token.text);
    if (token?.kind === "text") return token.text.replaceAll('""', '"');
    if (token?.kind === "cells") return this.#cells(token.text);
    if (token?.kind === "name") return this.#call(token.text);
    throw new Error(`cannot compute ${this.text}`);
  }

  #cells(reference: string): Operand {
    const at = reference.lastIndexOf("!");
    const name = at < 0 ? this.sheet : reference.slice(0, at).replace(/^'|'$/g, "").replaceAll("''", "'");
    const [from, to] = reference
      .slice(at + 1)
      .replaceAll("$", "")
      .split(":")
      .map((place) => parseCellRef(place));
    if (!to) return this.valueAt(`${name}!${from!.row},${from!.col}`);
    const values: Value[] = [];
    for (let row = from!.row; row <= to.row; row++)
      for (let column = from!.col; column <= to.col; column++)
        values.push(this.valueAt(`${name}!${row},${column}`));
    return values;
  }

  #call(name: string): Operand {
    this.#takes("(");
    const given: Operand[] = [];
    do given.push(this.#comparison());
    while (this.#takes(","));
    if (!this.#takes(")")) throw new Error(`a call is open in ${this.text}`);
    const numbers = () => given.flat().filter((value) => typeof value === "number");
    const number = (index: number) => toNumber(single(given[index]!));
    switch (name) {
      case "SUM":
        return numbers().reduce((sum, value) => sum + value, 0);
      case "MAX":
        return Math.max(...numbers());
      case "MIN":
        return Math.min(...numbers());
      case "SQRT":
        return Math.sqrt(number(0));
      case "ROUND":
        return Number(`${Math.round(Number(`${number(0).toFixed(9)}e${number(1)}`))}e-${number(1)}`);
      case "IF":
        return single(number(0) === 0 ? (given[2] ?? 0) : given[1]!);
      case "SUMPRODUCT": {
        const columns = given as Value[][];
        return columns[0]!.reduce<number>(
          (sum, _, row) => sum + columns.reduce((product, column) => product * toNumber(column[row]!), 1),
          0,
        );
      }
      case "SUMIF": {
        const [keys, wanted, amounts] = given as [Value[], Value, Value[]];
        return keys.reduce<number>(
          (sum, key, row) => (key === wanted ? sum + toNumber(amounts[row]!) : sum),
          0,
        );
      }
      default:
        throw new Error(`unknown function ${name} in ${this.text}`);
    }
  }
}

function single(value: Operand): Value {
  if (Array.isArray(value)) throw new Error("a range stands where a value should");
  return value;
}
