import type { ComponentChildren } from "preact";
import type { FullPartnerJson } from "../../api-schemas/partner-schema.ts";
import type { PartnerTaskJson } from "../../api-schemas/partner-task-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { formatPageCount } from "../page/page-format.ts";
import { ReportSection } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { EmptyState } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { ROOT } from "./console-admin-client.ts";
import { useAdminAction, useConsole } from "./console-context.ts";

/** Exports a partner's data, and deletes the partner after its name was typed to confirm. */
export function ConsolePartnerRemoval(props: {
  partner: FullPartnerJson;
  path: string;
  task: PartnerTaskJson | null;
  onChange: () => void;
  /** Milder actions than deletion. */
  children?: ComponentChildren;
}) {
  const { partner, path, task, onChange, children } = props;
  const { api } = useConsole();
  const { run } = useAdminAction();
  const isTaskRunning = task?.status === "running";
  const purge = async (form: FormData) => {
    const confirm = String(form.get("name"));
    if (confirm !== partner.name) return "The name does not match. Nothing was deleted.";
    await run(() => api.write("POST", `${path}/purge`, { confirm }));
    onChange();
    return undefined;
  };
  return (
    <ReportSection
      id="removal"
      title="Export, disable and delete"
      about="Export all partner data as NDJSON (photos not included), suspend the partner's access, or permanently delete all of it. Existing backups still contain the data."
    >
      {task?.kind === "purge" && (
        <p role="status">
          {task.status === "running" ? (
            <>
              Deletion in progress since <InstantWithLocalTime at={task.started_at} />.
            </>
          ) : (
            `Deletion did not complete: ${task.error} Delete again to resume.`
          )}
        </p>
      )}
      <p class="choices">
        <a
          role="button"
          class="outline"
          href={`${ROOT}${path}/export`}
          download={`${partner.partner_id}.ndjson`}
        >
          Export data
        </a>
        {children}
        {!isTaskRunning && (
          <ConfirmDialog
            name="Delete permanently"
            title={`Permanently delete ${partner.name}?`}
            isDestructive
            onConfirm={purge}
          >
            <p>
              Its credentials stop working immediately.{" "}
              {formatPageCount(partner.properties, "property", "properties")},{" "}
              {formatPageCount(partner.appliances, "appliance")} and{" "}
              {formatPageCount(partner.components, "component")} are deleted with their history, photos and
              deliveries. This cannot be undone.
            </p>
            <p>
              <a href={`${ROOT}${path}/export`} download={`${partner.partner_id}.ndjson`}>
                Export the data
              </a>{" "}
              first if you need a copy.
            </p>
            <label>
              Type the partner name to confirm: <bdi class="expected-name">{partner.name}</bdi>
              <input name="name" required autoComplete="off" spellcheck={false} />
            </label>
          </ConfirmDialog>
        )}
      </p>
    </ReportSection>
  );
}

/** Replaces the page of a partner that was deleted. */
export function ConsolePartnerDeleted({ task: { counts, finished_at } }: { task: PartnerTaskJson }) {
  return (
    <EmptyState title="Partner deleted" isPage>
      <p>
        {formatPageCount(counts?.rows ?? 0, "record")} and {formatPageCount(counts?.files ?? 0, "photo")}{" "}
        deleted <InstantWithLocalTime at={finished_at!} />. Existing backups still contain the data.
      </p>
      <p>
        <a href={hrefTo(["partners"])}>Go to partners</a>
      </p>
    </EmptyState>
  );
}
