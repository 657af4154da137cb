import type { JobJson } from "../../wire/job.ts";
import { Showing } from "../browser/states.tsx";
import { moment } from "../format.ts";
import { useAction, useConsole, useRead, useTitle } from "./console-context.ts";
import { Heading } from "./shell.tsx";
import { ago, JOB_WORDS } from "./words.ts";

const REFRESHED_S = 5;

/** What the server does by the clock. */
export function JobsPage() {
  const loaded = useRead<{ server: string; jobs: JobJson[] }>("/admin/jobs", REFRESHED_S);
  useTitle("Jobs");
  return (
    <>
      <Heading title="Jobs" about="What the server does by itself. Times are since it was started." />
      <Showing loaded={loaded} what="the jobs">
        {({ server, jobs }) => (
          <section class="card" aria-label="Jobs">
            <p class="small mute">Told by the server at {server}.</p>
            <ul class="jobs">
              {jobs.map((job) => (
                <Job key={job.name} job={job} onRun={loaded.again} />
              ))}
            </ul>
          </section>
        )}
      </Showing>
    </>
  );
}

function Job({ job, onRun }: { job: JobJson; onRun: () => void }) {
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const words = JOB_WORDS[job.name] ?? { name: job.name, about: "" };
  const start = async () => {
    await run(
      () => api.write("POST", `/admin/jobs/${encodeURIComponent(job.name)}/run`),
      `${words.name}: started.`,
    );
    onRun();
  };
  return (
    <li>
      <div>
        <h2>{words.name}</h2>
        <p class="small mute">{words.about}</p>
      </div>
      <dl class="small">
        <div>
          <dt>Last</dt>
          <dd>
            {job.running ? (
              "Running"
            ) : job.finished_at === null ? (
              <span class="mute">Not yet</span>
            ) : (
              <span title={moment(job.finished_at)}>{ago(job.finished_at)}</span>
            )}
            {job.error !== null && <span class="chip overdue">Failed: {job.error}</span>}
          </dd>
        </div>
        <div>
          <dt>Next</dt>
          <dd>
            {job.next_at === null ? (
              <span class="mute">At the start alone</span>
            ) : (
              <span title={moment(job.next_at)}>{ago(job.next_at)}</span>
            )}
          </dd>
        </div>
      </dl>
      <button
        type="button"
        class="outline"
        aria-label={`Run now: ${words.name}`}
        aria-busy={isRunning || job.running}
        disabled={isRunning || job.running}
        onClick={() => void start()}
      >
        Run now
      </button>
    </li>
  );
}
