import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseRowsToImportJson } from "../../../src/api-schemas/imported-rows-schema.ts";
import { invalid } from "../../../src/domain/errors.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import { parseHttpRequestBodyObject } from "../../../src/http/request-body.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { readCostBookFile } from "../../../src/usecases/costs/read-cost-book-file.ts";
import { parseImportContinuation } from "../../../src/usecases/import/import-equal-row-counts.ts";
import { IMPORT_FIELDS, importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import { importTableRows } from "../../../src/usecases/import/import-table-rows.ts";
import { guessColumnFields } from "../../../src/usecases/import/mapping/guess-mapping.ts";
import {
  findSavedMapping,
  loadImportMappingFile,
  mappingFileText,
  validFileMapping,
} from "../../../src/usecases/import/mapping/import-file-mapping.ts";
import { openImportTables } from "../../../src/usecases/import/mapping/open-source-tables.ts";
import { prepareMappedRows } from "../../../src/usecases/import/mapping/prepare-import-rows.ts";
import type { Target } from "../target.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const clock = () => NOW;
const KINDS = ["properties", "appliances", "serviceEvents", "components", "claims"] as const;

/** A database with a new partner for each input. */
function scratchDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-fuzz-import-"));
  const knowledge = embeddedKnowledge();
  const store = openSqliteStore(join(folder, "mainstay.db"), {
    clock,
    random: (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
  const newPartner = () =>
    store.write(async (tx): Promise<Partner> => {
      const partner = {
        name: "P",
        enabled: true,
        dailyBudget: 1,
        credentialGeneration: 1,
        createdAt: tx.now,
      };
      const made = { id: tx.newId("partner"), ...partner };
      await tx.partners.insert(made);
      return made;
    });
  const end = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const newImport = async () => ({ store, knowledge, partner: await newPartner(), clock, actor: "cli:fuzz" });
  return { folder, store, newImport, end };
}

/** Imports a CSV file into a database; the first byte chooses what it has. */
export function importTarget(): Target {
  const { folder, newImport, end } = scratchDatabase();
  const before = {
    properties: { name: "p.csv", text: "partner_property_id,name,address,state\n1,Elm,1 Elm St,NY\n" },
    appliances: { name: "a.csv", text: "partner_property_id,type_id,serial,install_year\n1,roof,S1,1990\n" },
  };
  const file = (nth: number, text: string) => Buffer.concat([Buffer.of(nth), Buffer.from(text)]);
  return {
    name: "import",
    seeds: [
      file(
        0,
        'partner_property_id,name,address,state,unit_count\n2,"Oak, ""Inn""",2 Oak St,TX,12\n3,Ash,3 Ash St,CA,\n',
      ),
      file(1, "partner_property_id,type_id,serial,install_year,brand\r\n1,furnace_gas,S2,2001,Acme\r\n"),
      file(
        2,
        "partner_property_id,serial,event_type,date,total_cost,notes\n1,S1,Repair,2025-01-02,12.50,=leak\n",
      ),
      file(0, "\ufeffline;error\n"),
      file(
        3,
        "partner_property_id,serial,component_def_id,proactive_cost,condition\n1,S1,roof_covering,1200.50,fair\n",
      ),
      file(
        4,
        "partner_property_id,claim_type,date_of_loss,amount,claim_number\n1,water_damage,2025-01-02,100.25,=A-1\n",
      ),
    ],
    words: [
      '"',
      ",",
      "\n",
      "\r",
      ";",
      "\t",
      "\ufeff",
      "partner_property_id",
      "=1+1",
      "＝1",
      "line,error",
      "2026-02-30",
    ],
    async parse(input) {
      const importing = await newImport();
      await importPortfolio({ ...importing, sources: before });
      const kind = KINDS[(input[0] ?? 0) % KINDS.length]!;
      const path = join(folder, "input.csv");
      await Bun.write(path, input.subarray(1));
      const result = await importPortfolio({ ...importing, sources: { [kind]: { path } } });
      return `${kind}, ${result.rejected === 0 ? "no" : "some"} rejected`;
    },
    end,
  };
}

const SEPARATOR = 0x1e;

/** Imports a CSV file of any columns with a saved mapping, or with a guessed one if there is none. */
export function mappedImportTarget(): Target {
  const { folder, store, newImport, end } = scratchDatabase();
  const fieldsOf = (kind: string) => IMPORT_FIELDS[kind] ?? [];
  const fields = {
    properties: fieldsOf("properties"),
    appliances: fieldsOf("appliances"),
    serviceEvents: fieldsOf("service_events"),
    claims: fieldsOf("claims"),
  };
  const guess = (csv: string) => {
    const [heading, ...rows] = csv
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
    return guessColumnFields(heading!, rows, IMPORT_FIELDS, () => undefined);
  };
  const seed = (csv: string, mapping = mappingFileText([guess(csv)])) =>
    Buffer.concat([Buffer.from(csv), Buffer.of(SEPARATOR), Buffer.from(mapping)]);
  return {
    name: "mapped-import",
    seeds: [
      seed(`Site,Street,State,Roof\n${"Elm,1 Elm St,NY,Y\n".repeat(6)}`, ""),
      seed("Site,Street,State,Roof,Year Built,No of Elevators\nElm,1 Elm St,NY,Y,1990,3\n"),
      seed("Site,Street,Asset Type,Serial No,Install Date\nElm,1 Elm St,Boiler,B-1,03/04/2001\n", ""),
      seed("Site,Inspected,Roof,Elevator,Boiler,Windows,Fire Alarm\nElm,2025-01-02,3,4,5,2,1\n", ""),
    ],
    words: [
      ...[
        '"constants"',
        '"values":{"state":{',
        '"dates"',
        '"equipment"',
        '"choice"',
        '"year_column"',
        '"scale"',
      ],
      ...["constructor", "__proto__", "toString", ",", "\n", "\x1e", "=1+1", "31/12/2020", "quantity"],
    ],
    async parse(input) {
      const at = input.indexOf(SEPARATOR);
      const path = join(folder, "input.csv");
      await Bun.write(path, at < 0 ? input : input.subarray(0, at));
      const saved =
        at < 0 || at === input.length - 1
          ? []
          : loadImportMappingFile("m.json", input.toString("utf8", at + 1));
      if (mappingFileText(saved) !== mappingFileText(loadImportMappingFile("m.json", mappingFileText(saved))))
        throw new Error("a mapping that is saved and read again differs");
      const importing = await newImport();
      const mapped = (await openImportTables(path)).map((table) => ({
        table,
        mapping:
          findSavedMapping(saved, table.headings) ??
          guessColumnFields(table.headings, table.sample, IMPORT_FIELDS, () => undefined),
      }));
      const preparing = {
        read: store.read,
        partnerId: importing.partner.id,
        types: importing.knowledge.types,
        yieldNow: async () => {},
      };
      const { sources } = await prepareMappedRows(preparing, mapped, fields);
      const result = await importPortfolio({ ...importing, sources });
      return `${Object.keys(sources).join(" and ")}, ${result.rejected === 0 ? "no" : "some"} rejected`;
    },
    end,
  };
}

const MOST_VALUES = 31_000;

/** Checks rows as `POST /v1/import-rows` does in a dry run, which makes their records and undoes them. */
export function importedRowsTarget(): Target {
  const { newImport, end } = scratchDatabase();
  const rows = (columns: string[], cells: string[][], more: object = {}) =>
    Buffer.from(JSON.stringify({ file: "a.csv", columns, rows: cells, ...more }));
  return {
    name: "imported-rows",
    seeds: [
      rows(["Site", "Street", "State", "Roof", "Year Built"], [["Elm", "1 Elm St", "NY", "Y", "1990"]]),
      rows(
        ["Ref", "Name", "Street", "State", "No of Elevators"],
        [
          ["1", "Elm", "1 Elm St", "NY", "3"],
          ["1", "Elm", "1 Elm St", "NY", "3"],
        ],
        {
          mapping: {
            columns: ["Ref", "Name", "Street", "State", "No of Elevators"],
            rows: "properties",
            fields: { partner_property_id: "Ref", name: "Name", address: "Street", state: "State" },
            constants: { country: "US" },
            values: { state: { Ontario: "ON" } },
            dates: {},
            equipment: [{ column: "No of Elevators", kind: "count", types: { "*": "elevator" } }],
            scores: [],
          },
          continuation: "hNn2ZJcIcHpI3",
          separator: ";",
          first_row: 7,
          update: true,
        },
      ),
    ],
    words: [
      ...['"mapping":{', '"constants":', '"continuation":"check ', '"rows":[[', "[]", "null", "\\u0000"],
      ...["__proto__", "=1+1", "31/12/2020", "1e309", "-1", '""'],
    ],
    async parse(input) {
      const given = parseRowsToImportJson(parseHttpRequestBodyObject(input, MOST_VALUES));
      const { mapping, continuation, update, dryRun: _, silent, ...table } = given;
      const valid = mapping && validFileMapping(mapping);
      if (mapping && !valid) throw invalid("mapping must be one that an earlier response has");
      const equalRows = parseImportContinuation(continuation, true);
      const deps = { ...(await newImport()), yieldNow: async () => {} };
      const options = { mapping: valid, equalRows, update, dryRun: true, silent };
      const { mapping: used, rejected } = await importTableRows(deps, table, options);
      return `${used.rows}, ${rejected.length === 0 ? "no" : "some"} rejected`;
    },
    end,
  };
}

/** Reads a CSV file with lines of a cost book. */
export function costBookTarget(): Target {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-fuzz-costs-"));
  const knowledge = embeddedKnowledge();
  return {
    name: "cost-book",
    seeds: [
      Buffer.from(
        "type_id,component_def_id,state,proactive_cost,reactive_cost,size,as_of\n" +
          "water_heater_gas,,,1850,3200,50,2026-10-02\nboiler,boiler_burner,NY,900,,,\n",
      ),
    ],
    words: [",", "\n", '"', "roof", "CA-ON", "1e309", "-1", "2026-02-30", "=1+1", "line,error", "\ufeff"],
    async parse(input) {
      const path = join(folder, "costs.csv");
      await Bun.write(path, input);
      const options = { knowledge, today: "2026-12-01", rejectsFolder: undefined };
      const { lines, rejects } = await readCostBookFile({ path }, options);
      return `${Math.min(lines.length, 2)} lines, ${rejects ? "some" : "no"} rejected`;
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
