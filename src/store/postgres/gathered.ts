import type { Values } from "../row-writes.ts";
import { listsOf, type RowStatement } from "./row-statements.ts";
import { nameOf, type Runner, type Statement } from "./statements.ts";

/** Rows of one kind that are kept back at most. */
const MOST_ROWS = 500;

/**
 * A transaction's statements, in which rows that are written one by one are kept back, and sent together: before
 * whatever else is sent that could see them, and at its end.
 */
export class Gathered implements Runner {
  #rows = new Map<RowStatement, Values[]>();
  /** Statements sent that write. */
  #written = 0;

  constructor(
    private readonly below: Runner,
    private readonly names: boolean,
  ) {}

  async read(statement: Statement) {
    if (!isSelect(statement.text)) {
      this.#written++;
      await this.flush();
    } else if (this.#isSeenBy(statement.text)) await this.flush();
    return await this.below.read(statement);
  }

  write(statement: Statement): void | Promise<void> {
    this.#written++;
    const sent = this.flush();
    return sent ? sent.then(() => this.below.write(statement)) : this.below.write(statement);
  }

  /** Keeps a row to be written. */
  keep(statement: RowStatement, row: Values): void | Promise<void> {
    const rows = this.#rows.get(statement);
    if (!rows) this.#rows.set(statement, [row]);
    else if (rows.push(row) >= MOST_ROWS) return this.flush();
  }

  /** Forgets what is kept: it belongs to a transaction that is over. */
  clear(): void {
    this.#rows.clear();
  }

  /** Begins a job; what is returned takes its rows back, or says that it cannot since some were sent. */
  beginJob(): () => boolean {
    const written = this.#written;
    const before = new Map([...this.#rows].map(([statement, rows]) => [statement, rows.length]));
    return () => {
      if (this.#written !== written) return false;
      for (const [statement, rows] of this.#rows) rows.length = before.get(statement) ?? 0;
      return true;
    };
  }

  /** Sends what is kept. */
  flush(): void | Promise<void> {
    if (this.#rows.size === 0) return;
    const kept = [...this.#rows].sort(([one], [other]) => one.rank - other.rank);
    this.#rows = new Map();
    let sent: Promise<void> | undefined;
    for (const [statement, rows] of kept) {
      if (rows.length === 0) continue;
      this.#written++;
      const { text } = statement;
      const name = this.names && { name: nameOf(text) };
      sent = this.below.write({ ...name, text, values: listsOf(statement, rows) }) || sent;
    }
    return sent;
  }

  #isSeenBy(text: string): boolean {
    for (const { table } of this.#rows.keys()) if (text.includes(table)) return true;
    return false;
  }
}

const isSelect = (text: string) => /^\s*\(?select\b/i.test(text) && !/\bfor update\b/i.test(text);
