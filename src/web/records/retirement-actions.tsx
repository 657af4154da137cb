import { formatPageDate } from "../page/page-format.ts";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { messageOfFailedEdit, pageEditConflictMessage } from "./edit-record.tsx";
import { recordPath, useRecordsApi } from "./page-records-context.ts";

type Retirable = { id: string; retired_at: string | null; retired_reason: string | null };

const today = () => new Date().toISOString().slice(0, 10);
const isRetiredOn = ({ retired_at }: Pick<Retirable, "retired_at">, day: string) =>
  retired_at !== null && retired_at <= day;

/** Returns whether a record is retired now, not only later. */
export const isShownRecordRetired = (record: Pick<Retirable, "retired_at">) => isRetiredOn(record, today());

const EFFECTS = {
  property:
    "From that day the property and its appliances are in no list, alert, figure or plan, and are not billed. Their history stays, and you can bring them back.",
  appliance:
    "From that day the appliance is in no list, alert, figure or plan. Its history stays, and you can bring it back.",
} as const;

const LABELS = { retired_at: "Retirement", retired_reason: "Retirement" };

/** The retirement of a property or an appliance, with the button that retires it or brings it back. */
export function RetirementRecordActions(props: {
  kind: keyof typeof EFFECTS;
  name: string;
  record: Retirable;
  /** An appliance that is retired with its property, which brings it back. */
  isRetiredWithProperty?: boolean;
  /** Called after a change. */
  onChanged: () => void;
}) {
  const { kind, name, record, isRetiredWithProperty = false, onChanged } = props;
  const records = useRecordsApi();
  const path = recordPath(kind === "property" ? "properties" : "appliances", record.id);
  const put = (change: Partial<Retirable>) =>
    messageOfFailedEdit(async () => {
      const readNow = () => records.readNow<Retirable>(path);
      const changed = await pageEditConflictMessage(readNow, record, LABELS, change);
      if (changed !== undefined) return changed;
      await records.write("PUT", path, change);
      records.onChanged();
      onChanged();
    });
  const day = today();
  if (record.retired_at === null && isRetiredWithProperty)
    return <p class="retirement small muted">Retired with its property</p>;
  if (record.retired_at !== null)
    return (
      <div class="retirement screen">
        <p class="small">
          {isRetiredOn(record, day) ? "Retired since " : "Retires on "}
          <time dateTime={record.retired_at}>{formatPageDate(record.retired_at)}</time>
          {record.retired_reason !== null && (
            <>
              {": "}
              <bdi>{record.retired_reason}</bdi>
            </>
          )}
        </p>
        <ConfirmDialog
          name="Bring back"
          title={`Bring back ${name}`}
          isSmall
          onConfirm={() => put({ retired_at: null, retired_reason: null })}
        >
          <p>It is in every list and figure again, and is scored at once.</p>
        </ConfirmDialog>
      </div>
    );
  return (
    <div class="retirement screen">
      <ConfirmDialog
        name="Retire"
        title={`Retire ${name}`}
        isSmall
        isDestructive
        onConfirm={(form) =>
          put({
            retired_at: String(form.get("retired_at")),
            retired_reason: String(form.get("retired_reason")).trim() || null,
          })
        }
      >
        <p>{EFFECTS[kind]}</p>
        <label>
          Day
          <input name="retired_at" type="date" required defaultValue={day} />
        </label>
        <label>
          Reason
          <input name="retired_reason" maxLength={500} placeholder="Sold" />
        </label>
      </ConfirmDialog>
    </div>
  );
}
