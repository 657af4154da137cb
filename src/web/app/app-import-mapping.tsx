import { useMemo } from "preact/hooks";
import { UNIT_LABELS } from "../../domain/property.ts";
import { CONDITIONS, EVENT_TYPES } from "../../domain/service-event.ts";
import { DATE_FORMATS, DAY_FIELDS, type DateFormat } from "../../table-cells/table-cell-dates.ts";
import { formatPageCount } from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import {
  type AppImportFile,
  type AppImportMapping,
  distinctAppChoiceCells,
  lacksAppDateFormat,
  mapAppColumnToField,
  withAppCellMeaning,
  withAppDateFormat,
} from "./app-import-file.ts";

/** The cells of a column that are shown as examples. */
const EXAMPLES = 3;
const ROWS_SEARCHED = 50;

/** The field of each column, which the reader can change. */
export function AppImportMappingForm(props: {
  file: AppImportFile;
  fields: readonly string[];
  mapping: AppImportMapping;
  isBusy: boolean;
  onChange: (mapping: AppImportMapping) => void;
}) {
  const { file, fields, mapping, isBusy, onChange } = props;
  const fieldOf = new Map(Object.entries(mapping.fields).map(([field, column]) => [column, field]));
  const constants = Object.entries(mapping.constants);
  return (
    <ReportSection
      id="import-mapping"
      title="2. What the columns contain"
      about={`Each row is ${ROW_NAMES[mapping.rows] ?? "a record"}. Correct any wrong guesses.`}
    >
      <SectionTable
        caption="Columns of the file"
        rows={file.columns.map((column, at) => ({ column, at }))}
        columns={[
          {
            heading: "Column and its first cells",
            cell: ({ column, at }) => (
              <>
                <bdi>{column}</bdi>
                <bdi class="small muted under">{examplesOf(file, at)}</bdi>
              </>
            ),
          },
          {
            heading: "Field",
            cell: ({ column }) => (
              <>
                <div>
                  <select
                    aria-label={`Field of ${column}`}
                    disabled={isBusy}
                    value={fieldOf.get(column.trim()) ?? ""}
                    onChange={(event) =>
                      onChange(mapAppColumnToField(file, mapping, column.trim(), event.currentTarget.value))
                    }
                  >
                    <option value="">{readsOtherwise(mapping, column) ?? "Not used"}</option>
                    {fields.map((field) => (
                      <option value={field}>{field}</option>
                    ))}
                  </select>
                </div>
                {DAY_FIELDS.includes(fieldOf.get(column.trim()) ?? "") && (
                  <DateFormatSelect
                    column={column}
                    value={mapping.dates[fieldOf.get(column.trim())!]}
                    isOpen={lacksAppDateFormat(file, mapping, fieldOf.get(column.trim())!)}
                    isBusy={isBusy}
                    onChange={(format) =>
                      onChange(withAppDateFormat(mapping, fieldOf.get(column.trim())!, format))
                    }
                  />
                )}
                <CellMeanings
                  file={file}
                  column={column.trim()}
                  field={fieldOf.get(column.trim())}
                  mapping={mapping}
                  isBusy={isBusy}
                  onChange={onChange}
                />
              </>
            ),
          },
        ]}
      />
      {constants.length > 0 && (
        <p class="small muted">
          Set in every row where it is blank:{" "}
          {constants.map(([field, value]) => `${field} ${value}`).join(", ")}.
        </p>
      )}
    </ReportSection>
  );
}

/** The words that the API knows for a field with few. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  condition_after: CONDITIONS,
  event_type: EVENT_TYPES,
  unit_label: UNIT_LABELS,
};

/** IDs and serials, whose cells mean themselves; those of types can be names. */
const isReference = (field: string) => field === "serial" || (field.endsWith("_id") && field !== "type_id");

/** The meanings of the cells of a column that is a choice among a few: `5` can be `good`. */
function CellMeanings(props: {
  file: AppImportFile;
  column: string;
  field: string | undefined;
  mapping: AppImportMapping;
  isBusy: boolean;
  onChange: (mapping: AppImportMapping) => void;
}) {
  const { file, column, field, mapping, isBusy, onChange } = props;
  const cells = useMemo(() => distinctAppChoiceCells(file, column), [file, column]);
  if (field === undefined || DAY_FIELDS.includes(field) || cells.length === 0 || isReference(field))
    return null;
  const given = mapping.values[field] ?? {};
  const words = WORDS[field];
  const list = `words-${field}`;
  // Open where a cell is no word that the API knows.
  const isOpen = words !== undefined && cells.some((cell) => !words.includes(cell));
  return (
    <details class="cell-meanings small" open={isOpen}>
      <summary>Meaning of {formatPageCount(cells.length, "value")}</summary>
      <ul>
        {cells.map((cell) => (
          <li key={cell}>
            <bdi>{cell}</bdi>
            <input
              aria-label={`Meaning of ${cell} in ${column}`}
              placeholder="As it is"
              list={words && list}
              disabled={isBusy}
              value={Object.hasOwn(given, cell) && given[cell] !== cell ? given[cell] : ""}
              onChange={(event) =>
                onChange(withAppCellMeaning(mapping, field, { cell, meaning: event.currentTarget.value }))
              }
            />
          </li>
        ))}
      </ul>
      {words && (
        <datalist id={list}>
          {words.map((word) => (
            <option value={word} />
          ))}
        </datalist>
      )}
    </details>
  );
}

/** The format of a column of dates, which is open or else the first if none was guessed. */
function DateFormatSelect(props: {
  column: string;
  value: DateFormat | undefined;
  isOpen: boolean;
  isBusy: boolean;
  onChange: (format: DateFormat) => void;
}) {
  return (
    <div class="date-format">
      <select
        aria-label={`Format of the dates of ${props.column}`}
        disabled={props.isBusy}
        value={props.value ?? (props.isOpen ? "" : DATE_FORMATS[0])}
        onChange={(event) => props.onChange(event.currentTarget.value as DateFormat)}
      >
        {props.isOpen && (
          <option value="" disabled>
            Choose one
          </option>
        )}
        {DATE_FORMATS.map((format) => (
          <option value={format}>{format}</option>
        ))}
      </select>
    </div>
  );
}

const ROW_NAMES: Readonly<Record<string, string>> = {
  properties: "a property",
  appliances: "an appliance",
  service_events: "a service event",
  claims: "a claim",
  visits: "a visit with a score for each component",
};

function examplesOf({ rows }: AppImportFile, at: number): string {
  const found = rows.slice(0, ROWS_SEARCHED).map(({ cells }) => cells[at]!.trim());
  return [...new Set(found.filter((cell) => cell !== ""))].slice(0, EXAMPLES).join(", ").slice(0, 90);
}

/** Says what a column without a field is for, if anything. */
function readsOtherwise({ equipment, scores }: AppImportMapping, column: string): string | undefined {
  const isOf = (one: { column: string; year_column?: string }) =>
    one.column === column.trim() || one.year_column === column.trim();
  if (equipment.some(isOf)) return "Equipment";
  return scores.some(isOf) ? "Score of a component" : undefined;
}
