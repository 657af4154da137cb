import type { LeftOut } from "./import-source-table.ts";

/** A file may have another text in every row. */
const MOST_COUNTS = 1_000;

/** Counts the cells that mean nothing to the import, by file, text and reason. */
export class ImportLeftOutCounts {
  readonly #counts = new Map<string, LeftOut>();

  add(file: string, given: string, reason: string, cells = 1): void {
    const isKept = (what: string) => this.#counts.has(JSON.stringify([file, what, reason]));
    const what = this.#counts.size < MOST_COUNTS || isKept(given) ? given : "others";
    const key = JSON.stringify([file, what, reason]);
    this.#counts.set(key, { file, what, reason, cells: (this.#counts.get(key)?.cells ?? 0) + cells });
  }

  counts(): LeftOut[] {
    return [...this.#counts.values()].toSorted((a, b) => b.cells - a.cells);
  }
}
