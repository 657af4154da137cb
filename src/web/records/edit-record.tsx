import { useId } from "preact/hooks";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { pageCodeLabel } from "../page/page-code-labels.ts";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { useRecordsApi } from "./page-records-context.ts";

/** A field of a record in a form. Emptied, it is sent as null. */
export type EditField = {
  /** The field's name in the API. */
  name: string;
  label: string;
  isRequired?: boolean;
} & (
  | { kind: "text" | "long" | "day"; value: string | null }
  | { kind: "number"; value: number | null }
  | { kind: "flag"; value: boolean }
  /** Texts without spaces. */
  | { kind: "list"; value: readonly string[] }
  /** `options` are the values in the API. */
  | { kind: "choice"; value: string | null; options: readonly string[] }
);

/** Renders a button that opens a form with a record's fields, and saves those that were changed. */
export function EditRecordDialog<Edited extends object>(props: {
  title: string;
  about: string;
  record: Edited;
  fieldsOf: (record: Edited) => readonly EditField[];
  /** The path at which the record is read. */
  path: string;
  /** Sends the changed fields. Throws an ApiFailure. */
  onSave: (change: Readonly<Record<string, unknown>>) => Promise<void>;
}) {
  const { title, about, record, fieldsOf, path, onSave } = props;
  const fields = fieldsOf(record);
  const records = useRecordsApi();
  const id = useId();
  const save = async (form: FormData) => {
    const change = changeOf(fields, form);
    if (Object.keys(change).length === 0) return undefined;
    return await messageOfFailedEdit(async () => {
      const stored = fieldsOf({ ...record, ...(await records.readNow<Partial<Edited>>(path)) });
      const taken = fields.find(
        ({ name, value }, at) => name in change && isTaken(stored[at]?.value, value, change[name]),
      );
      if (taken) return changedMeanwhile(taken);
      await onSave(change);
    });
  };
  return (
    <ConfirmDialog name="Edit" confirmName="Save" title={title} onConfirm={save} isSmall>
      <p class="small muted">{about}</p>
      <div class="edit">
        {fields.map((field) => (
          <label
            key={field.name}
            for={`${id}-${field.name}`}
            class={field.kind === "long" ? "wide" : undefined}
          >
            {field.label}
            <Control field={field} id={`${id}-${field.name}`} />
          </label>
        ))}
      </div>
    </ConfirmDialog>
  );
}

/** Runs a change. Returns the message of its failure, which the dialog then shows. */
export async function messageOfFailedEdit(
  // biome-ignore lint/suspicious/noConfusingVoidType: most changes return nothing.
  run: () => Promise<string | void>,
): Promise<string | undefined> {
  try {
    return (await run()) ?? undefined;
  } catch (thrown) {
    if (thrown instanceof ApiFailure) return thrown.message;
    throw thrown;
  }
}

/**
 * Returns a message if a field that `change` has was changed since the form showed its record, to anything else. `labels`
 * are those of the form's fields.
 */
export async function pageEditConflictMessage<Shown extends object>(
  readNow: () => Promise<Partial<Shown>>,
  record: Shown,
  labels: { readonly [Name in keyof Shown]?: string },
  change: Partial<Shown>,
): Promise<string | undefined> {
  const stored = { ...record, ...(await readNow()) };
  for (const name in change)
    if (isTaken(stored[name], record[name], change[name])) return changedMeanwhile({ label: labels[name]! });
  return undefined;
}

/**
 * Returns whether a field was changed since the form showed it, to anything else than what is asked: where the response to
 * an earlier attempt was lost, the record already has that.
 */
const isTaken = (stored: unknown, shown: unknown, asked: unknown) =>
  !isEqual(stored, shown) && !isEqual(stored, asked);

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const changedMeanwhile = ({ label }: Pick<EditField, "label">) =>
  `“${label}” was changed while this form was open. Nothing was saved. Reload the page to see the change, then edit the record again.`;

function Control({ field, id }: { field: EditField; id: string }) {
  const { name, isRequired = false } = field;
  const given = { id, name, required: isRequired };
  switch (field.kind) {
    case "flag":
      return <input {...given} type="checkbox" defaultChecked={field.value} />;
    case "choice":
      return (
        <select {...given}>
          {!isRequired && <option value="" />}
          {field.options.map((option) => (
            <option value={option} selected={option === field.value}>
              {pageCodeLabel(option)}
            </option>
          ))}
        </select>
      );
    case "long":
      return <textarea {...given} rows={3} defaultValue={field.value ?? ""} />;
    case "number":
      return (
        <input
          {...given}
          type="number"
          step="any"
          inputMode="decimal"
          defaultValue={String(field.value ?? "")}
        />
      );
    case "list":
      return <input {...given} type="text" defaultValue={field.value.join(", ")} />;
    case "day":
      return <input {...given} type="date" defaultValue={field.value ?? ""} />;
    case "text":
      return <input {...given} type="text" defaultValue={field.value ?? ""} />;
  }
}

/** Returns the fields whose values differ from the record's. */
function changeOf(fields: readonly EditField[], form: FormData): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const field of fields) {
    const typed = form.get(field.name);
    const text = String(typed ?? "");
    if (field.kind === "list") {
      const items = text.split(/[\s,;]+/).filter(Boolean);
      if (items.join() !== field.value.join()) change[field.name] = items;
      continue;
    }
    const value = field.kind === "flag" ? typed !== null : valueIn(field, text);
    if (value !== field.value) change[field.name] = value;
  }
  return change;
}

function valueIn({ kind }: EditField, typed: string): string | number | null {
  const text = kind === "long" ? typed : typed.trim();
  if (text.trim() === "") return null;
  return kind === "number" ? Number(text) : text;
}
