import type { ModelProposalJson } from "../../api-schemas/calibration-proposal-schema.ts";
import { CalibrationReport } from "../calibration/calibration-report.tsx";
import { CalibrationValidation } from "../calibration/calibration-validation.tsx";
import { formatPageCount } from "../page/page-format.ts";
import { ReportSection } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { useAdminAction, useAdminRead, useConsole } from "./console-context.ts";
import { ConsoleServerMessage } from "./console-server-text.tsx";

const PATH = "/admin/model/proposal";
const REFRESH_S = 3;

/** Runs a calibration on request, shows its validation, and activates it. */
export function ConsoleCalibrationResult({ onApplied }: { onApplied: () => void }) {
  const { api } = useConsole();
  const loaded = useAdminRead<ModelProposalJson>(PATH, REFRESH_S);
  const { isRunning, run } = useAdminAction();
  const start = async () => {
    await run(() => api.write("POST", PATH));
    loaded.reload();
  };
  const apply = async (proposal_id: string, force: boolean) => {
    await run(
      () => api.write("POST", `${PATH}/apply`, { proposal_id, force }),
      "Activated. The calibration applies from the next snapshot.",
    );
    loaded.reload();
    onApplied();
  };
  return (
    <ReportSection
      id="proposal"
      title="New calibration"
      about="Estimates component lifetimes, appliance reliability and evidence weights from your recorded failures. Nothing changes until you activate it."
    >
      <LoadedContent loaded={loaded} what="the calibration">
        {(proposal) => (
          <>
            <ProposalStatus proposal={proposal} />
            <p class="choices">
              <button
                type="button"
                class="outline"
                aria-busy={isRunning || proposal.status === "running"}
                disabled={isRunning || proposal.status === "running"}
                onClick={() => void start()}
              >
                {proposal.status === "running" ? "Calibrating…" : "Run calibration"}
              </button>
              {proposal.proposal_id !== null && (
                <ConfirmDialog
                  name={proposal.better ? "Activate" : "Activate without proof"}
                  title="Activate this calibration?"
                  isDestructive={!proposal.better}
                  onConfirm={() => apply(proposal.proposal_id!, !proposal.better)}
                >
                  <p>
                    {proposal.better
                      ? "It forecast the past year better than the default model. It applies from the next snapshot."
                      : "Not statistically better than the default model. This version will be marked “unproven” permanently."}{" "}
                    You can revert it later.
                  </p>
                </ConfirmDialog>
              )}
            </p>
          </>
        )}
      </LoadedContent>
    </ReportSection>
  );
}

function ProposalStatus({ proposal }: { proposal: ModelProposalJson }) {
  const { status, by, error, started_at, finished_at, model_version } = proposal;
  if (status === "none") return null;
  if (status === "running")
    return (
      <p role="status">
        Calibration in progress
        {started_at && (
          <>
            {" "}
            since <InstantWithLocalTime at={started_at} />
          </>
        )}
        , started by <bdi>{by}</bdi>. It may take several minutes. Servers continue to respond.
      </p>
    );
  if (status === "failed")
    return (
      <>
        <p role="alert">
          <ConsoleServerMessage text={error!} />
        </p>
        <p class="small muted">
          Started <InstantWithLocalTime at={started_at!} /> by <bdi>{by}</bdi>.
        </p>
        {proposal.proposal_id !== null && (
          <>
            <p>The previous calibration is kept:</p>
            <CalibrationResult proposal={proposal} />
          </>
        )}
      </>
    );
  if (status === "applied")
    return (
      <p role="status">
        Model {model_version} was activated <InstantWithLocalTime at={finished_at!} />.
      </p>
    );
  return <CalibrationResult proposal={proposal} />;
}

/** Shows a finished calibration that can be activated. */
function CalibrationResult({ proposal }: { proposal: ModelProposalJson }) {
  const { better, failures, lives, made_at, validation, fit } = proposal;
  return (
    <>
      <p>
        <span class={`chip ${better ? "ok" : "due_soon"}`}>
          {better ? "Proven better" : "Not proven better"}
        </span>{" "}
        {formatPageCount(failures!, "failure")} in {formatPageCount(lives!, "component lifetime")}, calibrated{" "}
        <InstantWithLocalTime at={made_at!} />.
      </p>
      <CalibrationValidation validation={validation!} />
      <CalibrationReport fit={fit!} />
    </>
  );
}
