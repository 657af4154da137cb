import type { Knowledge } from "../../../domain/domain-knowledge.ts";
import type { Yield } from "../../../event-loop/event-loop.ts";
import { CellDateFormats, DAY_FIELDS, type DateFormat } from "../../../table-cells/table-cell-dates.ts";
import {
  CellDecimalSigns,
  isNumericTableCellField,
  tableCellFieldsWithDecimalComma,
} from "../../../table-cells/table-cell-numbers.ts";
import { isTableCellScoreAbove5 } from "../../../table-cells/table-cell-scales.ts";
import { GUESSED_WORD_FIELDS } from "../../../table-cells/table-limits.ts";
import { importStateOfCell, importTypeOfCell, importTypeOfChoice } from "./guess-mapping.ts";
import type { FileMapping } from "./import-file-mapping.ts";
import { headingWords, NO_VALUE } from "./import-heading-words.ts";
import { importedApplianceTypeByName } from "./import-known-fields.ts";
import { type ImportTable, SAMPLE } from "./import-source-table.ts";
import { lookUpImportValue, lookUpImportValueInList } from "./import-value-lookup.ts";

/** The most words of a table whose meaning is guessed: each is compared with the words of all types. */
const MOST_WORDS = 20_000;

/** In characters. Longer texts are descriptions, which would fill the memory. */
const LONGEST_WORD = 200;

/** A word of a column for which the mapping has no meaning, and the one that was guessed. */
export type GuessedWord = { column: string; cell: string; meaning: string; rows: number };

/** The formats and words of the columns of a mapping in all rows of a table; the mapping is guessed from the first ones. */
export type ColumnSurvey = {
  /** By field: the format of its dates. */
  dates: ReadonlyMap<string, DateFormat>;
  /** By field: the first date of one whose dates can all have the day or the month first. */
  ambiguous: ReadonlyMap<string, string>;
  /** The fields whose numbers have a decimal comma. */
  decimalComma: readonly string[];
  hasScoresAbove5: boolean;
  guessed: readonly GuessedWord[];
};

/**
 * Reads all rows of a table once, and keeps counts and different words of its columns alone, at most `mostWords` words that the
 * mapping does not have.
 */
export async function surveyMappedColumns(
  table: ImportTable,
  mapping: FileMapping,
  types: Knowledge["types"],
  { mostWords = MOST_WORDS, yieldNow = async () => {} }: { mostWords?: number; yieldNow?: Yield } = {},
): Promise<ColumnSurvey> {
  const { headings, hasCommas = false } = table;
  const at = new Map(headings.map((heading, place) => [heading, place]));
  const fields = Object.entries(mapping.fields);
  const dates = fields.filter(([field]) => DAY_FIELDS.includes(field));
  const formats = new Map(dates.map(([field]) => [field, new CellDateFormats()]));
  const signs = new Map(
    fields
      .filter(([field]) => isNumericTableCellField(field))
      .map(([, column]) => [column, new CellDecimalSigns()] as const),
  );
  const words = table.form ? [] : wordColumnsOf(mapping, types, { left: mostWords });
  let hasScoresAbove5 = false;
  const read = (cells: readonly string[]) => {
    const cellOf = (column: string) => (cells[at.get(column) ?? -1] ?? "").trim();
    for (const [field, column] of dates) {
      const cell = cellOf(column);
      if (!NO_VALUE.test(cell)) formats.get(field)!.add(cell);
    }
    for (const [column, own] of signs) {
      const cell = cellOf(column);
      if (!NO_VALUE.test(cell)) own.add(cell);
    }
    for (const { column } of mapping.scores) hasScoresAbove5 ||= isTableCellScoreAbove5(cellOf(column));
    for (const one of words) one.add(cellOf(one.column));
  };
  // A row is read with each entry of the mapping, of which there may be hundreds.
  if (table.count <= SAMPLE) {
    for (const cells of table.sample) {
      read(cells);
      await yieldNow();
    }
  } else for await (const { cells } of table.rows()) read(cells);
  const guessed: GuessedWord[] = [];
  for (const one of words)
    for (const word of one.guessed()) {
      if (word) guessed.push(word);
      await yieldNow();
    }
  return {
    dates: new Map(
      [...formats].flatMap(([field, own]) => {
        const format = own.format();
        return format === undefined ? [] : [[field, format] as const];
      }),
    ),
    ambiguous: new Map(
      [...formats].flatMap(([field, own]) => {
        const date = own.firstAmbiguous();
        return date === undefined ? [] : [[field, date] as const];
      }),
    ),
    decimalComma: tableCellFieldsWithDecimalComma(mapping.fields, (column) => signs.get(column)!, hasCommas),
    hasScoresAbove5,
    guessed,
  };
}

/** Returns the mapping with meanings for more words. */
export function withGuessedWords(mapping: FileMapping, guessed: readonly GuessedWord[]): FileMapping {
  if (guessed.length === 0) return mapping;
  const meaningsOf = (column: string) =>
    Object.fromEntries(
      guessed.filter((one) => one.column === column).map(({ cell, meaning }) => [cell, meaning]),
    );
  const values = { ...mapping.values };
  for (const field of GUESSED_WORD_FIELDS) {
    const column = mapping.fields[field];
    const own = column === undefined ? {} : meaningsOf(column);
    if (Object.keys(own).length > 0) values[field] = { ...values[field], ...own };
  }
  const equipment = mapping.equipment.map((one) =>
    one.kind === "choice" ? { ...one, types: { ...one.types, ...meaningsOf(one.column) } } : one,
  );
  return { ...mapping, values, equipment };
}

/** The words of a column that the mapping does not know, with the number of their rows. */
class WordColumn {
  readonly #rows = new Map<string, number>();

  constructor(
    readonly column: string,
    private readonly isKnown: (cell: string) => boolean,
    private readonly meaningOf: (cell: string) => string | undefined,
    /** The number of words that the columns of the table may still add. */
    private readonly words: { left: number },
  ) {}

  add(given: string): void {
    if (given.length > LONGEST_WORD) return;
    const cell = given.replaceAll(/\s+/g, " ");
    const rows = this.#rows.get(cell);
    if (rows !== undefined) this.#rows.set(cell, rows + 1);
    else if (this.words.left > 0 && !NO_VALUE.test(cell) && !this.isKnown(cell)) {
      this.#rows.set(cell, 1);
      this.words.left--;
    }
  }

  /** Yields each word whose meaning is guessed, and nothing for another. */
  *guessed(): Generator<GuessedWord | undefined> {
    for (const [cell, rows] of this.#rows) {
      const meaning = this.meaningOf(cell);
      const isGuessed = meaning !== undefined && meaning !== cell;
      yield isGuessed ? { column: this.column, cell, meaning, rows } : undefined;
    }
  }
}

function wordColumnsOf(
  { rows, fields, values, equipment }: FileMapping,
  types: Knowledge["types"],
  words: { left: number },
): WordColumn[] {
  const typeOf = importedApplianceTypeByName(types);
  const found: WordColumn[] = [];
  if (rows === "appliances" && fields.type_id !== undefined)
    found.push(
      new WordColumn(
        fields.type_id,
        (cell) => types.has(cell) || lookUpImportValue(values.type_id ?? {}, cell) !== undefined,
        (cell) => importTypeOfCell(cell, typeOf),
        words,
      ),
    );
  if (fields.state !== undefined)
    found.push(
      new WordColumn(
        fields.state,
        (cell) => lookUpImportValue(values.state ?? {}, cell) !== undefined,
        importStateOfCell,
        words,
      ),
    );
  for (const { column, kind, types: meant } of equipment)
    if (kind === "choice")
      found.push(
        new WordColumn(
          column,
          (cell) => lookUpImportValueInList(meant, cell, types) !== undefined,
          (cell) => importTypeOfChoice(cell, headingWords(column)),
          words,
        ),
      );
  return found;
}
