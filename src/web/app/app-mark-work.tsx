import { useState } from "preact/hooks";
import { EVENT_TYPES } from "../../domain/service-event.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { formatPageCount } from "../page/page-format.ts";
import type { PlanLine } from "../page/page-plan-lines.ts";
import { messageOfFailedEdit } from "../records/edit-record.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { useApp } from "./app-context.ts";
import { appDateFromToday } from "./app-date-from-today.ts";

/** Work that a person can mark: a line of a plan, and where it is. */
type MarkableWork = {
  line: Pick<PlanLine, "id" | "isUnit" | "action" | "work_state">;
  place: string;
};

/** The most items that a form lists one by one. */
const MOST_LISTED = 40;
/** The most items of one request. */
const ITEMS_A_CALL = 200;
/** The name that was entered last in this tab. */
const NAME_KEY = "mainstay.marked-by";

const STATES = [
  { state: "ordered", label: "Ordered" },
  { state: "done", label: "Done: logs a service event" },
  { state: "deferred", label: "Deferred until a day" },
  { state: "open", label: "Open: removes the mark" },
] as const;
type State = (typeof STATES)[number]["state"];

/** A button that opens a form to mark work as ordered, done or deferred, with the name of the person and a reason. */
export function AppMarkWork(props: {
  /** The name of what is marked. */
  name: string;
  items: readonly MarkableWork[];
  /** Called after some of the work was marked. */
  onMarked: () => void;
}) {
  const { name, items, onMarked } = props;
  const { api } = useApp();
  const { work_state: marked } = items[0]!.line;
  const [state, setState] = useState<State>("ordered");
  const isListed = items.length > 1 && items.length <= MOST_LISTED;
  const send = (form: FormData) =>
    messageOfFailedEdit(async () => {
      const chosen = isListed ? items.filter(({ line }) => form.getAll("item").includes(line.id)) : items;
      const by = String(form.get("by")).trim();
      sessionStorage.setItem(NAME_KEY, by);
      const common = requestOf(state, by, form);
      const work = chosen.map(({ line }) => ({
        ...common,
        ...(line.isUnit ? { appliance_id: line.id } : { component_id: line.id }),
      }));
      const errors: string[] = [];
      for (let at = 0; at < work.length; at += ITEMS_A_CALL) {
        const reply = await api.write<{ error_details: { error: string }[] }>("POST", "/v1/work-marks/bulk", {
          work: work.slice(at, at + ITEMS_A_CALL),
        });
        errors.push(...reply.error_details.map(({ error }) => error));
      }
      if (errors.length < work.length) onMarked();
      if (errors.length > 0)
        showToast(`${formatPageCount(errors.length, "item")} could not be marked: ${errors[0]}`, {
          isFailure: true,
        });
    });
  return (
    <span class="screen">
      <ConfirmDialog
        name="Mark"
        title={`Mark ${name}${items.length > 1 ? ` × ${items.length}` : ""}`}
        isSmall
        onConfirm={send}
      >
        <div class="edit">
          <label class="wide">
            State
            <select value={state} onChange={({ currentTarget }) => setState(currentTarget.value as State)}>
              {STATES.filter((one) => one.state !== "open" || marked !== null).map((one) => (
                <option value={one.state}>{one.label}</option>
              ))}
            </select>
          </label>
          {state === "deferred" && (
            <label>
              Until
              <input name="until" type="date" required min={appDateFromToday(1)} />
            </label>
          )}
          {state === "done" && <DoneFields action={items[0]!.line.action} />}
          <label>
            Your name
            <input name="by" required maxLength={200} defaultValue={sessionStorage.getItem(NAME_KEY) ?? ""} />
          </label>
          <label class="wide">
            {state === "deferred" ? "Reason" : "Reason (optional)"}
            <input name="reason" maxLength={200} required={state === "deferred"} />
          </label>
          {isListed && <Places items={items} />}
        </div>
        <p class="small muted">
          {state === "done"
            ? "The event is logged for each. Scores and plans are updated immediately."
            : "The figures of the plan do not change until the work is done."}
        </p>
      </ConfirmDialog>
    </span>
  );
}

function DoneFields({ action }: { action: PlanLine["action"] }) {
  return (
    <>
      <label>
        Type
        <select name="event_type">
          {EVENT_TYPES.map((type) => (
            <option value={type} selected={type === (action === "inspect" ? "Inspection" : "Replacement")}>
              {type}
            </option>
          ))}
        </select>
      </label>
      <label>
        Day
        <input
          name="date"
          type="date"
          required
          defaultValue={appDateFromToday(0)}
          max={appDateFromToday(1)}
        />
      </label>
      <label>
        Cost of each ({currencyCode()}, optional)
        <input name="total_cost" type="number" min="0" step="0.01" inputMode="decimal" />
      </label>
      <label>
        Condition after
        <select name="condition_after">
          <option value="">Not stated</option>
          <option value="good">Good</option>
          <option value="fair">Fair</option>
          <option value="poor">Poor</option>
        </select>
      </label>
    </>
  );
}

function Places({ items }: { items: readonly MarkableWork[] }) {
  return (
    <fieldset class="wide choices-of-places">
      <legend class="small">Where</legend>
      {items.map(({ line, place }) => (
        <label>
          <input type="checkbox" name="item" value={line.id} defaultChecked /> {place}
        </label>
      ))}
    </fieldset>
  );
}

function requestOf(state: State, by: string, form: FormData): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? "").trim() || null;
  const common = { state, by, reason: text("reason") };
  if (state === "deferred") return { ...common, until: text("until") };
  if (state !== "done") return common;
  const cost = text("total_cost");
  return {
    ...common,
    event_type: text("event_type"),
    date: text("date"),
    total_cost: cost === null ? null : Number(cost),
    condition_after: text("condition_after"),
  };
}
