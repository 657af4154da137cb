import type { JobJson } from "../../api-schemas/job-schema.ts";
import { LoadedContent } from "../widgets/load-states.tsx";
import { pageInstantWithLocalTimeText } from "../widgets/local-date-time.tsx";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleHeading } from "./console-shell.tsx";
import { JOB_LABELS } from "./console-status-labels.ts";
import { consoleRelativeTimeText } from "./console-time-format.ts";

const REFRESH_S = 5;

/** Lists the scheduled jobs, and runs one on request. */
export function ConsoleJobsPage() {
  const loaded = useAdminRead<{ server: string; jobs: JobJson[] }>("/admin/jobs", REFRESH_S);
  useConsoleTitle("Jobs");
  return (
    <>
      <ConsoleHeading
        title="Jobs"
        about="Scheduled tasks. “Last run” covers the time since the server started."
      />
      <LoadedContent loaded={loaded} what="the jobs">
        {({ server, jobs }) => (
          <section class="card" aria-label="Jobs">
            <p class="small muted">Reported by {server}</p>
            <ul class="jobs">
              {jobs.map((job) => (
                <Job key={job.name} job={job} onRun={loaded.reload} />
              ))}
            </ul>
          </section>
        )}
      </LoadedContent>
    </>
  );
}

function Job({ job, onRun }: { job: JobJson; onRun: () => void }) {
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const label = JOB_LABELS[job.name] ?? { name: job.name, about: "" };
  const start = async () => {
    await run(
      () => api.write("POST", `/admin/jobs/${encodeURIComponent(job.name)}/run`),
      `${label.name}: started.`,
    );
    onRun();
  };
  return (
    <li>
      <div>
        <h2>{label.name}</h2>
        <p class="small muted">{label.about}</p>
      </div>
      <dl class="small">
        <div>
          <dt>Last run</dt>
          <dd>
            {job.running ? (
              "Running"
            ) : job.finished_at === null ? (
              <span class="muted">Not since start</span>
            ) : (
              <span title={pageInstantWithLocalTimeText(job.finished_at)}>
                {consoleRelativeTimeText(job.finished_at)}
              </span>
            )}
            {job.error !== null && <span class="chip overdue">Failed: {job.error}</span>}
          </dd>
        </div>
        <div>
          <dt>Next run</dt>
          <dd>
            {job.next_at === null ? (
              <span class="muted">At startup only</span>
            ) : (
              <span title={pageInstantWithLocalTimeText(job.next_at)}>
                {consoleRelativeTimeText(job.next_at)}
              </span>
            )}
          </dd>
        </div>
      </dl>
      <button
        type="button"
        class="outline"
        aria-label={`Run now: ${label.name}`}
        aria-busy={isRunning || job.running}
        disabled={isRunning || job.running}
        onClick={() => void start()}
      >
        Run now
      </button>
    </li>
  );
}
