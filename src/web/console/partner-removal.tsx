import type { FullPartnerJson } from "../../wire/partner.ts";
import type { PartnerTaskJson } from "../../wire/partner-task.ts";
import { addressOf } from "../browser/place.ts";
import { Empty } from "../browser/states.tsx";
import { count, counted, moment } from "../format.ts";
import { Section } from "../sections/section.tsx";
import { ROOT } from "./admin-client.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useAction, useConsole } from "./console-context.ts";

/** Takes a partner's whole record away in a file, and deletes it for good once its name was typed. */
export function PartnerRemoval(props: {
  partner: FullPartnerJson;
  path: string;
  task: PartnerTaskJson | null;
  onChange: () => void;
}) {
  const { partner, path, task, onChange } = props;
  const { api } = useConsole();
  const { run } = useAction();
  const isBusy = task?.status === "running";
  const purge = async (given: FormData) => {
    const confirm = String(given.get("name"));
    if (confirm !== partner.name) return "This is not its whole name. Nothing was deleted.";
    await run(() => api.write("POST", `${path}/purge`, { confirm }));
    onChange();
    return undefined;
  };
  return (
    <Section
      id="removal"
      title="Take away, and delete"
      about="An export holds all that the partner owns, a JSON object a line, but its photos. A purge deletes all of it for good; backups that were taken before still hold it."
    >
      {task?.kind === "purge" && (
        <p role="status">
          {task.status === "running"
            ? `It is being deleted, since ${moment(task.started_at)}.`
            : `It was not deleted in full: ${task.error} Ask for it again: it goes on.`}
        </p>
      )}
      <p class="choices">
        <a
          role="button"
          class="outline"
          href={`${ROOT}${path}/export`}
          download={`${partner.partner_id}.ndjson`}
        >
          Export
        </a>
        {!isBusy && (
          <ConfirmDialog
            name="Delete for good"
            title={`Delete ${partner.name} for good?`}
            isGrave
            onConfirm={purge}
          >
            <p>
              Its credentials end at once. {counted(partner.properties, "property", "properties")},{" "}
              {counted(partner.appliances, "appliance")} and {counted(partner.components, "component")} with
              their history, photos and deliveries are deleted. This cannot be undone.
            </p>
            <p>
              <a href={`${ROOT}${path}/export`} download={`${partner.partner_id}.ndjson`}>
                Export it first
              </a>
              , unless you have it.
            </p>
            <label>
              Its whole name, to confirm: <bdi class="wanted">{partner.name}</bdi>
              <input name="name" required autoComplete="off" spellcheck={false} />
            </label>
          </ConfirmDialog>
        )}
      </p>
    </Section>
  );
}

/** In place of the partner that was deleted. */
export function PartnerDeleted({ task: { counts, finished_at } }: { task: PartnerTaskJson }) {
  return (
    <Empty title="The partner is deleted" isPage>
      <p>
        With all that it owned: {counted(counts?.rows ?? 0, "row")} and {count(counts?.files ?? 0)} photos,{" "}
        {moment(finished_at!)}. Backups that were taken before still hold it.
      </p>
      <p>
        <a href={addressOf(["partners"])}>To the partners</a>
      </p>
    </Empty>
  );
}
