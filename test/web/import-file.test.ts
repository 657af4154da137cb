import { describe, expect, test } from "bun:test";
import {
  chooseWordingOfCurrencyAndUnits,
  US_DISPLAY,
} from "../../src/domain/wording/currency-and-unit-wording.ts";
import {
  type AppImportFile,
  type AppImportMapping,
  distinctAppChoiceCells,
  type ImportRun,
  lacksAppDateFormat,
  mapAppColumnToField,
  runAppFileImport,
  sendAppRows,
  withAppCellMeaning,
  withAppDateFormat,
  withFormatsOfWholeAppFile,
  withoutAmbiguousAppDates,
} from "../../src/web/app/app-import-file.ts";
import { AppRejectsContinuations, appRejectsFile } from "../../src/web/app/app-import-rejects.ts";
import { sampleOfAppFile } from "../../src/web/app/app-import-sample.ts";
import { appTableOfSheet, readAppCsvTable } from "../../src/web/app/app-import-table.ts";
import { readAppWorkbookFile } from "../../src/web/app/app-workbook-file.ts";
import { ApiFailure } from "../../src/web/browser/browser-api-failure.ts";

const none = { created: 0, updated: 0, unchanged: 0 };
/** An answer in which nothing is to be told. */
const plain = {
  properties: none,
  appliances: none,
  components: none,
  service_events: none,
  claims: none,
  install_years_from_year_built: 0,
  install_years_before_year_built: 0,
  unusual_sizes: 0,
  claims_to_check: 0,
  older_valuations: 0,
  same_address: [],
  changes: [],
  rejected: [],
  guessed: [],
  left_out: [],
};
const mapping: AppImportMapping = {
  rows: "properties",
  fields: {},
  constants: {},
  values: {},
  dates: {},
  equipment: [],
  scores: [],
};
const file = (rows: number) => ({
  name: "a.csv",
  columns: ["Address", "Boilers"],
  rows: Array.from({ length: rows }, (_, at) => ({ number: at + 2, cells: [`${at} Elm St`, "500"] })),
  unnamed: 0,
});

/** Imports rows by an API that takes so many at once; returns the places and numbers of rows that it took. */
async function imported(rows: number, most: number) {
  const taken: [number, number][] = [];
  const api = {
    async write<T>(_method: string, _path: string, body: unknown): Promise<T> {
      const sent = body as { rows: string[][]; first_row: number };
      if (sent.rows.length > most) throw new ApiFailure("too_large", "The rows make more than 2000 records");
      taken.push([sent.first_row, sent.rows.length]);
      return { ...plain, properties: { ...none, created: sent.rows.length } } as T;
    },
  };
  let last: ImportRun | undefined;
  await runAppFileImport(api, file(rows), { mapping, isDry: false }, (run) => {
    last = run;
  });
  return { taken, created: last?.counts.properties.created, isDone: last?.isDone };
}

// Rule: import-rows
test("rows that make too many records are sent fewer at a time, each once and in order", async () => {
  expect(await imported(450, 200)).toEqual({
    taken: [
      [2, 200],
      [202, 200],
      [402, 50],
    ],
    created: 450,
    isDone: true,
  });
  const { taken, created } = await imported(450, 60);
  expect(created).toBe(450);
  for (const [nth, [row]] of taken.entries())
    expect(row).toBe(2 + taken.slice(0, nth).reduce((sum, [, count]) => sum + count, 0));
  expect(Math.max(...taken.map(([, count]) => count))).toBe(50);
});

// Rule: import-rows
test("each call of equipment continues the one before, with the rows of a property together", async () => {
  const names = ["A", "B", "A", "C", "B", "A"];
  const table = {
    name: "a.csv",
    columns: ["Building", "Equipment"],
    unnamed: 0,
    rows: names.map((name, at) => ({ number: at + 2, cells: [name, "PTAC"] })),
  };
  const fields = { partner_property_id: "Building", type_id: "Equipment" };
  const sentFor = async (rows: string) => {
    const sent: unknown[] = [];
    const api = {
      write: async (
        _method: string,
        _path: string,
        body: { rows: string[][]; first_row: number; continuation?: string },
      ) => {
        if (body.rows.length > 2) throw new ApiFailure("too_large", "too many");
        sent.push([body.rows.map(([name]) => name).join(""), body.continuation]);
        const rejected = [{ row: body.first_row + 1, error: "x" }];
        return { ...plain, rejected, continuation: `after ${sent.length}` };
      },
    } as never;
    let last: ImportRun | undefined;
    await runAppFileImport(api, table, { mapping: { ...mapping, rows, fields }, isDry: false }, (run) => {
      last = run;
    });
    return { sent, rejected: last!.rejected.map(({ row }) => row.number) };
  };
  expect(await sentFor("appliances")).toEqual({
    sent: [
      ["AA", undefined],
      ["AB", "after 1"],
      ["BC", "after 2"],
    ],
    rejected: [3, 4, 5],
  });
  expect((await sentFor("properties")).sent).toEqual([
    ["AB", undefined],
    ["AC", "after 1"],
    ["BA", "after 2"],
  ]);
});

// Rule: import-rows
test("rejected rows are a file that continues the one before, the same each time, also where they are rejected again", async () => {
  const started: unknown[] = [];
  const api = {
    write: async (_method: string, _path: string, { continuation }: { continuation?: string }) => {
      started.push(continuation);
      return { ...plain, rejected: [{ row: 2, error: "x" }], continuation: `${continuation ?? ""}+` };
    },
  } as never;
  const continuations = new AppRejectsContinuations();
  const importing = async (one: AppImportFile, isDry = false) => {
    const continuation = continuations.of(one);
    let last: ImportRun | undefined;
    await runAppFileImport(api, one, { mapping, isDry, ...(continuation && { continuation }) }, (run) => {
      continuations.add(one, run);
      last = run;
    });
    const { name, columns, rows } = appRejectsFile(one, last!.rejected);
    const cells = rows.map((row, at) => ({ number: at + 2, cells: row.map(String) }));
    return { name, columns, rows: cells, unnamed: 0 };
  };
  await importing(file(1), true);
  const first = await importing(file(1));
  expect([first.name, first.columns]).toEqual(["a-rejected.csv", ["Address", "Boilers", "line", "error"]]);
  const second = await importing(first);
  expect(second.columns).toEqual(first.columns);
  await importing({ ...first, name: "a-rejected (1).csv" });
  await importing(second);
  await importing({ ...first, columns: first.columns.with(3, "Error") });
  expect(started).toEqual([undefined, undefined, "+", "+", "++", undefined]);
});

test("a call is repeated while another import of the account runs, for half a minute", async () => {
  let calls = 0;
  let pauses = 0;
  const importing = (refused: number) => {
    const api = {
      async write<T>(): Promise<T> {
        if (++calls <= refused) throw new ApiFailure("conflict", "an import is in progress already");
        return plain as T;
      },
    };
    const pause = async () => void pauses++;
    return runAppFileImport(api, file(10), { mapping, isDry: false, pause }, () => {});
  };
  await importing(3);
  expect([calls, pauses]).toEqual([4, 3]);
  [calls, pauses] = [0, 0];
  await expect(importing(100)).rejects.toThrow("an import is in progress already");
  expect([calls, pauses]).toEqual([16, 15]);
});

test("a row that makes too many by itself is reported", async () => {
  await expect(imported(3, 0)).rejects.toThrow("more than 2000 records");
});

const read = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return readAppCsvTable({ name: "a.csv", size: bytes.length, arrayBuffer: async () => bytes.buffer });
};

/** Imports by an API that rejects every row; returns the rows rejected. `onCall` is called in each call. */
async function rejectedOf(table: AppImportFile, signal?: AbortSignal, onCall = () => {}) {
  let run: ImportRun | undefined;
  const api = {
    async write<T>(_method: string, _path: string, body: unknown): Promise<T> {
      onCall();
      const { rows, first_row } = body as { rows: string[][]; first_row: number };
      const rejected = rows.map(([error], at) => ({ row: first_row + at, error }));
      return { ...plain, rejected } as T;
    },
  };
  await runAppFileImport(
    api,
    table,
    { mapping, isDry: true },
    (latest) => {
      run = latest;
    },
    signal,
  );
  return run!;
}

test("rejected rows have the numbers that a spreadsheet shows, also after blank rows and cells of several lines", async () => {
  const table = (await read('\nName;City\n\nA;"x\ny"\n;\nB;z\n')) as AppImportFile;
  expect(table.columns).toEqual(["Name", "City"]);
  const { rejected } = await rejectedOf(table);
  expect(rejected.map(({ row, error }) => [row.number, error, row.cells])).toEqual([
    [4, "A", ["A", "x\ny"]],
    [6, "B", ["B", "z"]],
  ]);
});

// Rule: import-rows
test("what each call says of its rows is added up, with the numbers that a spreadsheet shows", async () => {
  const columns = Array.from({ length: 300 }, (_, at) => `C${at}`);
  const rows = Array.from({ length: 100 }, (_, at) => ({ number: 2 * at + 2, cells: columns }));
  const asked: unknown[] = [];
  const api = {
    async write<T>(_method: string, _path: string, body: unknown): Promise<T> {
      const { first_row: row, update } = body as { first_row: number; update: boolean };
      asked.push(update);
      const of = { field: "year_built", rows: 2, row: row + 1 };
      return {
        ...plain,
        properties: { created: 1, updated: 2, unchanged: 3 },
        unusual_sizes: 1,
        claims_to_check: 2,
        same_address: [{ row: row + 1, property_id: "P_2", first_property_id: "P_1", first_row: null }],
        changes: [{ records: "properties", ...of, from: "null", to: String(row) }],
        rejected: [{ row, error: `the boiler in row ${row + 1}` }],
      } as T;
    },
  };
  const runs: ImportRun[] = [];
  const table = { name: "a.csv", columns, rows, unnamed: 0 };
  await runAppFileImport(api, table, { mapping, isDry: false, updates: true }, (run) => runs.push(run));
  expect(asked).toEqual([true, true]);
  const { counts, notes, sameAddress, changes, rejected } = runs.at(-1)!;
  expect(counts.properties).toEqual({ created: 2, updated: 4, unchanged: 6 });
  expect(notes).toMatchObject({ unusualSizes: 2, claimsToCheck: 4, earlyYears: 0 });
  // Rows of the file have the even numbers: the second row of the first call is 4, of the second call 84 rows later.
  expect(sameAddress.map(({ row }) => row)).toEqual([4, 2 * 84 + 2]);
  expect(rejected.map(({ row, error }) => [row.number, error])).toEqual([
    [2, "the boiler in row 4"],
    [2 * 83 + 2, `the boiler in row ${2 * 84 + 2}`],
  ]);
  expect(changes).toEqual([
    { records: "properties", field: "year_built", rows: 4, row: 4, from: "null", to: "2" },
  ]);
});

test("a file that no call could import is refused before any call", async () => {
  expect(await read(`A,B\n\n1,${"x".repeat(4_001)}\n`)).toContain(
    "Row 3 has more than 4000 characters in the column B",
  );
  expect(await read(`A${",".repeat(300)}\n1\n`)).toContain("301 columns");
  expect(await read(`${"x".repeat(1_001)}\n1\n`)).toContain("Row 1 has the name of a column");
  expect(await read("A,B\n,\n")).toContain("no rows");
  expect(await read('A,B\n1,5" x\n')).toContain("Row 2 has a quote in an invalid position");
});

test("cells beyond the columns are counted as left out", async () => {
  const run = await rejectedOf({ ...file(1), unnamed: 3 });
  expect(run.leftOut).toEqual([{ column: "unnamed columns", reason: "no heading", cells: 3 }]);
  expect((await rejectedOf(file(1))).leftOut).toEqual([]);
});

test("an aborted import sends no further call", async () => {
  const leaving = new AbortController();
  let calls = 0;
  const run = await rejectedOf(file(450), leaving.signal, () => {
    if (++calls === 2) leaving.abort();
  });
  expect({ calls, done: run.done, isDone: run.isDone }).toEqual({ calls: 2, done: 400, isDone: false });
});

test("a field that moves to another column loses what was guessed of its cells, and has its dates guessed again", async () => {
  const table = (await read("Done,Seen,Kind\n2025-01-02,13/02/2025,boiler\n")) as AppImportFile;
  const guessed: AppImportMapping = {
    ...mapping,
    fields: { date: "Done", type_id: "Kind" },
    values: { type_id: { boiler: "BOILER" } },
    dates: { date: "YYYY-MM-DD" },
  };
  const moved = mapAppColumnToField(table, guessed, "Seen", "date");
  expect(moved).toEqual({
    ...guessed,
    fields: { type_id: "Kind", date: "Seen" },
    dates: { date: "DD/MM/YYYY" },
  });
  expect(withAppDateFormat(moved, "date", "MM/DD/YYYY").dates).toEqual({ date: "MM/DD/YYYY" });
  expect(mapAppColumnToField(table, guessed, "Done", "type_id")).toEqual({
    ...guessed,
    fields: { type_id: "Done" },
    values: {},
    dates: {},
  });
  expect(mapAppColumnToField(table, guessed, "Kind", "closed_on").dates.closed_on).toBe("YYYY-MM-DD");
});

test("a number field that moves to another column has its decimal sign guessed again, also by the separator", async () => {
  const guessed: AppImportMapping = {
    ...mapping,
    fields: { total_cost: "Net" },
    decimal_comma: ["total_cost"],
  };
  const shown = (await read('Net,Gross\n"1,5","1.200,75"\n')) as AppImportFile;
  expect(mapAppColumnToField(shown, guessed, "Gross", "total_cost").decimal_comma).toEqual(["total_cost"]);
  const points = (await read("Net;Gross\n1,5;1200.75\n")) as AppImportFile;
  expect(mapAppColumnToField(points, guessed, "Gross", "total_cost").decimal_comma).toBeUndefined();
  const groups = (await read("Net;Gross\n850.000;420.500\n")) as AppImportFile;
  expect(mapAppColumnToField(groups, guessed, "Gross", "total_cost").decimal_comma).toEqual(["total_cost"]);
  const sent: unknown[] = [];
  const api = {
    async write<T>(_method: string, _path: string, body: unknown): Promise<T> {
      sent.push((body as { separator: string }).separator);
      return plain as T;
    },
  };
  await sendAppRows(api, groups, { at: 0, most: 1 }, { isDry: true });
  expect(sent).toEqual([";"]);
});

// Rule: portfolio-app-import
test("dates with the day or the month first have no format until one is chosen, except in the US", async () => {
  const table = (await read("Done,Seen\n03/04/2021,25/04/2021\n")) as AppImportFile;
  const guessed: AppImportMapping = {
    ...mapping,
    fields: { date: "Done", closed_on: "Seen" },
    dates: { date: "MM/DD/YYYY", closed_on: "DD/MM/YYYY" },
  };
  expect(withoutAmbiguousAppDates(table, guessed)).toEqual(guessed);
  const canadian = { ...guessed, constants: { country: "CA" } };
  const open = withoutAmbiguousAppDates(table, canadian);
  expect(open.dates).toEqual({ closed_on: "DD/MM/YYYY" });
  const lacking = (one: AppImportMapping) =>
    ["date", "closed_on"].map((field) => lacksAppDateFormat(table, one, field));
  expect([lacking(guessed), lacking(open)]).toEqual([
    [false, false],
    [true, false],
  ]);
  expect(lacking(withAppDateFormat(open, "date", "DD/MM/YYYY"))).toEqual([false, false]);
  expect(mapAppColumnToField(table, canadian, "Done", "closed_on").dates.closed_on).toBeUndefined();
  chooseWordingOfCurrencyAndUnits({ currency: "EUR", units: "metric" });
  expect(lacking({ ...guessed, dates: {} })).toEqual([true, false]);
  chooseWordingOfCurrencyAndUnits(US_DISPLAY);
});

// Rule: portfolio-app-import
test("the mapping is guessed from rows with all words of the file, and its first ones", () => {
  const kinds = ["Boiler", "Elevator", "Water Heater"];
  const rows = Array.from({ length: 3000 }, (_, at) => [
    kinds[Math.floor(at / 1000)]!,
    at === 2999 ? "7" : "",
    `S${at}`,
  ]);
  const table = {
    name: "a.csv",
    columns: ["Kind", "Roofs", "Serial"],
    unnamed: 0,
    rows: rows.map((cells, at) => ({ number: at + 2, cells })),
  };
  const sample = sampleOfAppFile(table).rows;
  expect(sample).toHaveLength(200);
  expect(new Set(sample.map(({ cells }) => cells[0]))).toEqual(new Set(kinds));
  expect(sample.some(({ cells }) => cells[1] === "7")).toBe(true);
  const odd = table.rows.map(({ number }) => ({
    number,
    cells: [number === 2901 ? "3+" : `${number % 3}`, "", ""],
  }));
  expect(sampleOfAppFile({ ...table, rows: odd }).rows.some(({ cells }) => cells[0] === "3+")).toBe(false);
  const few = { ...table, rows: table.rows.slice(0, 200) };
  expect(sampleOfAppFile(few)).toBe(few);
});

// Rule: portfolio-app-import
test("the format of dates and numbers is that of the whole file, not of the rows of the first call", async () => {
  const days = Array.from(
    { length: 260 },
    (_, at) => `${1 + Math.floor(at / 20)}/03/2025,${at < 230 ? "850" : "1,5"}`,
  );
  const table = (await read(
    `Done;Cost\n${days.join("\n").replaceAll(",", ";").replaceAll(";5", ",5")}\n`,
  )) as AppImportFile;
  const guessed: AppImportMapping = {
    ...mapping,
    fields: { date: "Done", total_cost: "Cost" },
    dates: { date: "MM/DD/YYYY" },
  };
  expect(withFormatsOfWholeAppFile(table, guessed)).toMatchObject({
    dates: { date: "DD/MM/YYYY" },
    decimal_comma: ["total_cost"],
  });
});

test("names of columns are found below a title, and a title alone is refused", async () => {
  expect(await read("\nPortfolio 2024,,\nName,Address,State\nA,1 Elm St,NY\n")).toMatchObject({
    columns: ["Name", "Address", "State"],
    rows: [{ number: 4, cells: ["A", "1 Elm St", "NY"] }],
    notes: ["the names of the columns are in row 3; those above are not read"],
  });
  expect(await read("Portfolio 2024,,\nName,Address,State\n")).toStartWith("a.csv has no rows below");
  expect(await read(`Name,Address,State\nA,1 Elm St,NY\nB,${"2,".repeat(6)}NY\n`)).toBe(
    "Row 1 names 3 of 8 columns. Delete the rows above the names of the columns.",
  );
  expect(await read("Name,Address\nA,1 Elm St,Albany,NY,12207\nB,2 Elm St\n")).toBe(
    "Row 1 names 2 of 5 columns. Delete the rows above the names of the columns.",
  );
  expect(await read("Costs\nName,Address,State,2024,2025\nA,1 Elm St,NY,12,13\n")).toMatchObject({
    columns: ["Name", "Address", "State", "2024", "2025"],
  });
  expect(await read("Name,Address,\nA,1 Elm St,x\n")).toMatchObject({ columns: ["Name", "Address", ""] });
});

test("a workbook whose reader fails, or cannot be loaded, has the remedy", async () => {
  const problemAfter = async (event: Event) => {
    const fakes = {
      document: { querySelector: () => ({ getAttribute: () => "reader.js" }) },
      Worker: class extends EventTarget {
        postMessage() {
          this.dispatchEvent(event);
        }
        terminate() {}
      },
    };
    const own = { document: globalThis.document, Worker: globalThis.Worker };
    Object.assign(globalThis, fakes);
    const chosen = { name: "a.xlsx", arrayBuffer: async () => new ArrayBuffer(1) };
    const reply = await readAppWorkbookFile(chosen, new AbortController().signal);
    Object.assign(globalThis, own);
    return reply;
  };
  expect(await problemAfter(new ErrorEvent("error", { message: "out of memory" }))).toEqual({
    problem: "a.xlsx needs more memory than the browser has. Save the sheet as CSV UTF-8.",
  });
  expect(await problemAfter(new Event("error"))).toEqual({
    problem: "a.xlsx cannot be read. Reload the page and try again.",
  });
});

// Rule: portfolio-app-import
test("a sheet of a workbook is a table with the numbers of its rows, blank ones left out", () => {
  const rows = [
    { row: 2, cells: ["Address", "Rating"] },
    { row: 3, cells: ["1 Elm St", "5", "seen", " "] },
    { row: 6, cells: ["2 Elm St"] },
  ];
  expect(appTableOfSheet("a.xlsx", { sheet: "Visits", rows, notes: ["merged"] }, false)).toEqual({
    notes: ["merged"],
    name: "a.xlsx, sheet Visits",
    columns: ["Address", "Rating"],
    rows: [
      { number: 3, cells: ["1 Elm St", "5"] },
      { number: 6, cells: ["2 Elm St", ""] },
    ],
    unnamed: 1,
  });
  expect(appTableOfSheet("a.xlsx", { sheet: "Visits", rows: rows.slice(0, 1), notes: [] }, true)).toBe(
    "a.xlsx has no rows below a first line with the names of the columns.",
  );
});

describe("the meaning of cells", () => {
  const table = (cells: readonly string[]): AppImportFile => ({
    name: "a.csv",
    columns: [" Rating "],
    rows: cells.map((cell, at) => ({ number: at + 2, cells: [cell] })),
    unnamed: 0,
  });

  test("is asked for a choice among a few, the commonest first, as the API reads them", () => {
    expect(distinctAppChoiceCells(table(["3", "5", "", " 5 ", "very  good"]), "Rating")).toEqual([
      "5",
      "3",
      "very good",
    ]);
    expect(distinctAppChoiceCells(table(["A-1", "A-2", "A-3"]), "Rating")).toEqual([]);
    expect(
      distinctAppChoiceCells(table(Array.from({ length: 42 }, (_, at) => `${at % 21} Elm St`)), "Rating"),
    ).toEqual([]);
  });

  test("is changed; without one, a word of which the API guesses one means itself, and another is read as it is", () => {
    const good = withAppCellMeaning(mapping, "condition_after", { cell: "5", meaning: " good " });
    expect(good.values).toEqual({ condition_after: { 5: "good" } });
    expect(withAppCellMeaning(good, "condition_after", { cell: "5", meaning: "" }).values).toEqual({
      condition_after: {},
    });
    expect(withAppCellMeaning(good, "type_id", { cell: "Lift", meaning: " " }).values).toEqual({
      ...good.values,
      type_id: { Lift: "Lift" },
    });
  });
});
