import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { messageOfFailedEdit } from "./edit-record.tsx";

/** The button that voids a record, which asks for the reason. */
export function VoidRecordButton(props: {
  title: string;
  /** The effect on the record, and the way back. */
  about: string;
  onVoid: (body: { voided: true; reason: string | null }) => Promise<void>;
}) {
  const reasonIn = (form: FormData) => String(form.get("reason") ?? "").trim() || null;
  return (
    <ConfirmDialog
      name="Void"
      title={props.title}
      isDestructive
      isSmall
      onConfirm={(form) => messageOfFailedEdit(() => props.onVoid({ voided: true, reason: reasonIn(form) }))}
    >
      <p>{props.about}</p>
      <label>
        Reason
        <input name="reason" maxLength={200} />
      </label>
    </ConfirmDialog>
  );
}
