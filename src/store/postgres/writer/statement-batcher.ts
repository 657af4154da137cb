import type { Values } from "../../row-writes.ts";
import { nameOf, type Runner, type Statement } from "../engine.ts";
import { columnArrays, type RowStatement } from "./row-statements.ts";

/** Rows of one kind that are kept back at most. */
const MOST_ROWS = 500;

/**
 * A transaction's statements, in which rows that are written one by one are kept back, and sent together: before
 * whatever else is sent that could see them, and at its end.
 */
export class StatementBatcher implements Runner {
  #rows = new Map<RowStatement, Values[]>();
  /** How many rows of them are of earlier jobs. */
  #earlier = new Map<RowStatement, number>();
  /** Whether the job that runs now has kept rows, and whether anything that it writes was sent. */
  #hasKept = false;
  #hasSent = false;
  readonly #remembered = new Map<string, { table: string; value: Promise<unknown> }>();

  constructor(
    private readonly below: Runner,
    private readonly names: boolean,
  ) {}

  async read(statement: Statement) {
    if (!isSelect(statement.text)) await this.#beforeWrite(statement);
    else if (this.#isSeenBy(statement.text)) await this.flush();
    return await this.below.read(statement);
  }

  write(statement: Statement): void | Promise<void> {
    const sent = this.#beforeWrite(statement);
    return sent ? sent.then(() => this.below.write(statement)) : this.below.write(statement);
  }

  /** Keeps a row to be written. */
  keep(statement: RowStatement, row: Values): void | Promise<void> {
    this.#hasKept = true;
    const rows = this.#rows.get(statement);
    if (!rows) this.#rows.set(statement, [row]);
    else if (rows.push(row) >= MOST_ROWS) return this.flush();
  }

  /** What was read of a row of the table, by a name: read once, until something is written there. */
  remember<T>(name: string, table: string, read: () => Promise<T>): Promise<T> {
    const known = this.#remembered.get(name);
    if (known) return known.value as Promise<T>;
    const value = read();
    this.#remembered.set(name, { table, value });
    return value;
  }

  /** Begins a transaction. What was kept belongs to one that is over. */
  begin(): void {
    this.#rows.clear();
    this.#remembered.clear();
  }

  beginJob(): void {
    this.#hasKept = false;
    this.#hasSent = false;
    this.#earlier = new Map([...this.#rows].map(([statement, rows]) => [statement, rows.length]));
  }

  /** Takes back the rows of the job that runs now. False when something that it writes was sent. */
  takeBack(): boolean {
    for (const [statement, rows] of this.#rows) rows.length = this.#earlier.get(statement) ?? 0;
    this.#remembered.clear();
    return !this.#hasSent;
  }

  /** Sends what is kept. */
  flush(): void | Promise<void> {
    if (this.#rows.size === 0) return;
    const kept = [...this.#rows].sort(([one], [other]) => one.rank - other.rank);
    this.#rows = new Map();
    this.#earlier.clear();
    this.#hasSent ||= this.#hasKept;
    let sent: Promise<void> | undefined;
    for (const [statement, rows] of kept) {
      if (rows.length === 0) continue;
      const { text } = statement;
      const name = this.names && { name: nameOf(text) };
      sent = this.below.write({ ...name, text, values: columnArrays(statement, rows) }) || sent;
    }
    return sent;
  }

  #beforeWrite({ text }: Statement): void | Promise<void> {
    this.#hasSent = true;
    for (const [name, { table }] of this.#remembered) if (text.includes(table)) this.#remembered.delete(name);
    return this.flush();
  }

  #isSeenBy(text: string): boolean {
    for (const { table } of this.#rows.keys()) if (text.includes(table)) return true;
    return false;
  }
}

const isSelect = (text: string) => /^\s*\(?select\b/i.test(text) && !/\bfor update\b/i.test(text);
