import type { AdministratorPageJson } from "../../api-schemas/administrator-schema.ts";
import type { ModelJson, ModelVersionJson } from "../../api-schemas/model-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { CalibrationReport } from "../calibration/calibration-report.tsx";
import {
  CalibrationValidation,
  formatCalibrationPageMeasure,
} from "../calibration/calibration-validation.tsx";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { ConsoleCalibrationResult } from "./console-calibration-result.tsx";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleHeading } from "./console-shell.tsx";

/** Shows the active model, its validation and its versions, and calibrates it on request. */
export function ConsoleModelPage() {
  const loaded = useAdminRead<ModelJson>("/admin/model");
  const administrators = useAdminRead<AdministratorPageJson>("/admin/administrators?limit=200");
  const nameOf = (actor: string) =>
    administrators.value?.administrators.find(({ admin_id }) => admin_id === actor)?.name ?? actor;
  useConsoleTitle("Calibration");
  return (
    <LoadedContent loaded={loaded} what="the model" isPage>
      {(model) => {
        const active = model.versions.find(({ in_use }) => in_use);
        return (
          <>
            <ConsoleHeading
              title="Calibration"
              about={
                active
                  ? `Active: model ${model.model_version}, which is model ${model.plain_model} calibrated to ${formatPageCount(active.failures, "failure")} in your portfolio.`
                  : `Active: model ${model.model_version}, the default, not calibrated to your data.`
              }
            >
              {active && <Revert model={model} onChange={loaded.reload} />}
            </ConsoleHeading>
            {model.latest_check && <LatestCheck check={model.latest_check} />}
            {active && (
              <ReportSection
                id="validation"
                title="Validation"
                about={
                  <>
                    Activated <InstantWithLocalTime at={active.applied_at} /> by{" "}
                    <bdi>{nameOf(active.applied_by)}</bdi>.
                  </>
                }
              >
                {active.forced && <p class="chip due_soon">Activated without proof of improvement</p>}
                <CalibrationValidation validation={active.validation} />
                <CalibrationReport fit={active} />
              </ReportSection>
            )}
            <ConsoleCalibrationResult onApplied={loaded.reload} />
            <ReportSection id="versions" title="Versions">
              {model.versions.length === 0 ? (
                <p class="empty">No calibration has been activated.</p>
              ) : (
                <Versions versions={model.versions} nameOf={nameOf} />
              )}
              <p class="small muted">
                See the <a href={hrefTo(["audit"])}>audit log</a> for who activated or reverted versions.
              </p>
            </ReportSection>
          </>
        );
      }}
    </LoadedContent>
  );
}

function Revert({ model, onChange }: { model: ModelJson; onChange: () => void }) {
  const { api } = useConsole();
  const { run } = useAdminAction();
  return (
    <ConfirmDialog
      name="Revert"
      title={`Revert model ${model.model_version}?`}
      isDestructive
      onConfirm={async () => {
        await run(
          () => api.write("POST", "/admin/model/revert", { model_version: model.model_version }),
          "Reverted. The previous model applies from the next snapshot.",
        );
        onChange();
      }}
    >
      <p>
        The previous model scores all components from the next snapshot. Score changes that result only from
        the change of model are not sent as webhooks.
      </p>
    </ConfirmDialog>
  );
}

function LatestCheck({ check }: { check: NonNullable<ModelJson["latest_check"]> }) {
  return (
    <ReportSection
      id="check"
      title={
        check.worse_than_plain
          ? "The calibration now forecasts worse than the default model"
          : "The calibration forecasts no worse than the default model"
      }
      about={`Checked ${formatPageDate(check.date)} against the outcomes of the preceding year. Checked monthly.`}
    >
      {check.worse_than_plain && <p>Run a new calibration below, or revert to the previous model.</p>}
    </ReportSection>
  );
}

function Versions(props: { versions: readonly ModelVersionJson[]; nameOf: (actor: string) => string }) {
  const { versions, nameOf } = props;
  return (
    <SectionTable
      caption="Versions of the model"
      rows={versions}
      columns={[
        {
          heading: "Version",
          cell: ({ model_version, in_use }) => (
            <>
              {model_version} {in_use && <span class="chip ok">Active</span>}
            </>
          ),
        },
        { heading: "Activated", cell: ({ applied_at }) => <InstantWithLocalTime at={applied_at} /> },
        { heading: "By", cell: ({ applied_by }) => <bdi>{nameOf(applied_by)}</bdi> },
        { heading: "Improvement", cell: ({ proven }) => (proven ? "Proven" : "Unproven") },
        { heading: "Failures", isNumber: true, cell: ({ failures }) => formatPageWholeNumber(failures) },
        {
          heading: "Concordance, default",
          isNumber: true,
          cell: ({ validation }) => formatCalibrationPageMeasure(validation.before.concordance),
        },
        {
          heading: "Concordance, calibrated",
          isNumber: true,
          cell: ({ validation }) => formatCalibrationPageMeasure(validation.after.concordance),
        },
      ]}
    />
  );
}
