import type { AdministratorPageJson } from "../../wire/administrator.ts";
import type { ModelJson, ModelVersionJson } from "../../wire/model.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { count, counted, date, moment } from "../format.ts";
import { DataTable, Section } from "../sections/section.tsx";
import { CalibrationReport } from "./calibration-report.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useAction, useConsole, useRead, useTitle } from "./console-context.ts";
import { ModelProposal } from "./model-proposal.tsx";
import { Heading } from "./shell.tsx";
import { formatMeasure, Validation } from "./validation.tsx";

/** The model that scores are made with, its proof, and the versions before it. */
export function ModelPage() {
  const loaded = useRead<ModelJson>("/admin/model");
  const people = useRead<AdministratorPageJson>("/admin/administrators?limit=200");
  const nameOf = (actor: string) =>
    people.value?.administrators.find(({ admin_id }) => admin_id === actor)?.name ?? actor;
  useTitle("Model");
  return (
    <Showing loaded={loaded} what="the model" isPage>
      {(model) => {
        const inUse = model.versions.find(({ in_use }) => in_use);
        return (
          <>
            <Heading
              title={`Model ${model.model_version}`}
              about={
                inUse
                  ? `Model ${model.plain_model}, fitted to ${counted(inUse.failures, "failure")} of your own portfolio.`
                  : "The executable’s own model, not fitted to your portfolio."
              }
            >
              {inUse && <Revert model={model} onChange={loaded.again} />}
            </Heading>
            {model.latest_check && <LatestCheck check={model.latest_check} />}
            {inUse && (
              <Section
                id="proof"
                title="Its proof"
                about={`Applied ${moment(inUse.applied_at)} by ${nameOf(inUse.applied_by)}.`}
              >
                {inUse.forced && <p class="chip due_soon">Put to use without proof, by force</p>}
                <Validation validation={inUse.validation} />
                <CalibrationReport fit={inUse} />
              </Section>
            )}
            <ModelProposal onApplied={loaded.again} />
            <Section id="versions" title="Versions">
              {model.versions.length === 0 ? (
                <p class="empty">No fit was ever put to use.</p>
              ) : (
                <Versions versions={model.versions} nameOf={nameOf} />
              )}
              <p class="small mute">
                <a href={addressOf(["audit"])}>The audit</a> has who applied and reverted what.
              </p>
            </Section>
          </>
        );
      }}
    </Showing>
  );
}

function Revert({ model, onChange }: { model: ModelJson; onChange: () => void }) {
  const { api } = useConsole();
  const { run } = useAction();
  return (
    <ConfirmDialog
      name="Revert"
      title={`Go back from model ${model.model_version}?`}
      isGrave
      onConfirm={async () => {
        await run(
          () => api.write("POST", "/admin/model/revert", { model_version: model.model_version }),
          "Reverted. The next snapshot scores everything by the model before.",
        );
        onChange();
      }}
    >
      <p>
        The model that was in use before it scores everything from the next snapshot on. What only the change
        of model moves is not announced.
      </p>
    </ConfirmDialog>
  );
}

function LatestCheck({ check }: { check: NonNullable<ModelJson["latest_check"]> }) {
  return (
    <Section
      id="check"
      title={
        check.worse_than_plain
          ? "It now forecasts worse than the plain model"
          : "It still forecasts no worse than the plain model"
      }
      about={`Checked ${date(check.date)} at the outcomes of the year before; done monthly.`}
    >
      {check.worse_than_plain && <p>Fit it anew below, or go back to the model before.</p>}
    </Section>
  );
}

function Versions(props: { versions: readonly ModelVersionJson[]; nameOf: (actor: string) => string }) {
  const { versions, nameOf } = props;
  return (
    <DataTable
      caption="Versions of the model"
      rows={versions}
      columns={[
        {
          heading: "Version",
          cell: ({ model_version, in_use }) => (
            <>
              {model_version} {in_use && <span class="chip ok">In use</span>}
            </>
          ),
        },
        { heading: "Applied", cell: ({ applied_at }) => moment(applied_at) },
        { heading: "By", cell: ({ applied_by }) => <bdi>{nameOf(applied_by)}</bdi> },
        { heading: "Proof", cell: ({ proven }) => (proven ? "Proven better" : "Forced, without proof") },
        { heading: "Failures", isNumber: true, cell: ({ failures }) => count(failures) },
        {
          heading: "Concordance",
          isNumber: true,
          cell: ({ validation }) => formatMeasure(validation.before.concordance),
        },
        {
          heading: "Fitted",
          isNumber: true,
          cell: ({ validation }) => formatMeasure(validation.after.concordance),
        },
      ]}
    />
  );
}
