import type { ModelProposalJson } from "../../wire/model-proposal.ts";
import { Showing } from "../browser/states.tsx";
import { counted, moment } from "../format.ts";
import { Section } from "../sections/section.tsx";
import { CalibrationReport } from "./calibration-report.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useAction, useConsole, useRead } from "./console-context.ts";
import { ServerText } from "./server-text.tsx";
import { Validation } from "./validation.tsx";

const PATH = "/admin/model/proposal";
const REFRESHED_S = 3;

/** A fit of the model to the portfolio's own failures: made on request, shown with its proof, and then put to use. */
export function ModelProposal({ onApplied }: { onApplied: () => void }) {
  const { api } = useConsole();
  const loaded = useRead<ModelProposalJson>(PATH, REFRESHED_S);
  const { isRunning, run } = useAction();
  const start = async () => {
    await run(() => api.write("POST", PATH));
    loaded.again();
  };
  const apply = async (proposal_id: string, force: boolean) => {
    await run(
      () => api.write("POST", `${PATH}/apply`, { proposal_id, force }),
      "It is in use. The next snapshot scores everything by it.",
    );
    loaded.again();
    onApplied();
  };
  return (
    <Section
      id="proposal"
      title="A fresh fit"
      about="Fits the lives of components, the frailty of appliances and the worth of evidence to the failures on record. Changes nothing by itself."
    >
      <Showing loaded={loaded} what="the fit">
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
                {proposal.status === "running" ? "At work…" : "Fit it now"}
              </button>
              {proposal.proposal_id !== null && (
                <ConfirmDialog
                  name={proposal.better ? "Put it to use" : "Put it to use without proof"}
                  title="Put the fit to use?"
                  isGrave={!proposal.better}
                  onConfirm={() => apply(proposal.proposal_id!, !proposal.better)}
                >
                  <p>
                    {proposal.better
                      ? "It was better at the year that is known by now. The next snapshot scores everything by it."
                      : "It is NOT proven better than the plain model; the version says so of itself for good."}{" "}
                    It can be reverted.
                  </p>
                </ConfirmDialog>
              )}
            </p>
          </>
        )}
      </Showing>
    </Section>
  );
}

function ProposalStatus({ proposal }: { proposal: ModelProposalJson }) {
  const { status, by, error, started_at, finished_at, model_version } = proposal;
  if (status === "none") return null;
  if (status === "running")
    return (
      <p role="status">
        Under way{started_at && ` since ${moment(started_at)}`}, by <bdi>{by}</bdi>. It may take minutes; the
        servers go on meanwhile.
      </p>
    );
  if (status === "failed")
    return (
      <>
        <p role="alert">
          <ServerText text={error!} />
        </p>
        <p class="small mute">
          Begun {moment(started_at!)} by <bdi>{by}</bdi>.
        </p>
        {proposal.proposal_id !== null && (
          <>
            <p>The fit before it is kept.</p>
            <CalibrationResult proposal={proposal} />
          </>
        )}
      </>
    );
  if (status === "applied")
    return (
      <p role="status">
        Model {model_version} is in use since {moment(finished_at!)}.
      </p>
    );
  return <CalibrationResult proposal={proposal} />;
}

/** What can be put to use. */
function CalibrationResult({ proposal }: { proposal: ModelProposalJson }) {
  const { better, failures, lives, made_at, validation, fit } = proposal;
  return (
    <>
      <p>
        <span class={`chip ${better ? "ok" : "due_soon"}`}>
          {better ? "Proven better" : "Not proven better"}
        </span>{" "}
        {counted(failures!, "failure")} in {counted(lives!, "life", "lives")}, made {moment(made_at!)}.
      </p>
      <Validation validation={validation!} />
      <CalibrationReport fit={fit!} />
    </>
  );
}
