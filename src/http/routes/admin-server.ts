import type { EffectiveSetting } from "../../administration/effective-setting.ts";
import type { JobStartResult, JobState } from "../../administration/job.ts";
import type { LoggedError } from "../../administration/logged-error.ts";
import type { Overview } from "../../administration/overview.ts";
import { LEASE_MS } from "../../cluster/lease.ts";
import { notFound } from "../../domain/errors.ts";
import { runJob } from "../../usecases/operations/run-job.ts";
import { administratorRecord, administratorsPage } from "../../wire/administrator.ts";
import { job, jobRecord, jobs, jobsView } from "../../wire/job.ts";
import { loggedErrors, loggedErrorsView } from "../../wire/logged-error.ts";
import { overview, overviewView } from "../../wire/overview.ts";
import { jobInPath, slicing } from "../../wire/parameters.ts";
import { servers, serversView } from "../../wire/server.ts";
import { settings, settingsView } from "../../wire/setting.ts";
import { snapshotRunRecord, snapshotRunsPage } from "../../wire/snapshot.ts";
import { accepted, accepts, adminOperation, answers, type Operation, ok } from "../operation.ts";
import { parseSlice } from "../query.ts";

/** What the running server tells of itself. */
export type ServerState = {
  /** Where it listens. */
  address: string;
  overview: () => Promise<Overview>;
  jobs: () => JobState[];
  /** Starts a job, or says where it is running already; undefined when there is none of that name. */
  runJob: (name: string) => Promise<JobStartResult | undefined>;
  /** The configuration file; undefined when there is none. */
  configFile: string | undefined;
  settings: readonly EffectiveSetting[];
  /** The latest that were logged since the start, the newest first. */
  errors: () => readonly LoggedError[];
};

/** Whether all is well with the server, what it does by the clock, and how it is set. */
export function adminServerOperations(server: () => ServerState): Operation[] {
  return [
    adminOperation({
      id: "getOverview",
      method: "GET",
      path: "/admin/overview",
      summary: "Whether all is well, and what to do where it is not",
      tag: "Administration",
      replies: answers("What was found", overview),
      handle: async () => ok(overviewView(await server().overview())),
    }),
    adminOperation({
      id: "listJobs",
      method: "GET",
      path: "/admin/jobs",
      summary: "What the server does by the clock: when each job ran, and when it runs next",
      tag: "Administration",
      replies: answers("The jobs", jobs),
      handle: () => ok(jobsView(server().address, server().jobs())),
    }),
    adminOperation({
      id: "listServers",
      method: "GET",
      path: "/admin/servers",
      summary: "The servers that share one database: who is alive, and what each holds",
      tag: "Administration",
      replies: answers("The servers", servers),
      async handle({ store }) {
        const { isShared } = store;
        return ok(
          serversView({ isShared, servers: isShared ? await store.read.servers.list(LEASE_MS) : [] }),
        );
      },
    }),
    adminOperation({
      id: "runJob",
      method: "POST",
      path: "/admin/jobs/{name}/run",
      summary: "Start a job now; `snapshot` takes today's, if it was not taken",
      tag: "Administration",
      parameters: [jobInPath],
      replies: accepts("It runs", job),
      errors: [409],
      body: "optional",
      async handle({ administration, params }) {
        const { jobs, runJob: start } = server();
        const find = () => jobs().find(({ name }) => name === params.name);
        if (!find()) throw notFound(`There is no job ${params.name}`);
        await runJob(administration, params.name!, start);
        return accepted(jobRecord(find()!));
      },
    }),
    adminOperation({
      id: "listErrors",
      method: "GET",
      path: "/admin/errors",
      summary: "The errors that the server has logged lately, the newest first",
      description: "At most 100, since the server's start; the log itself has them all.",
      tag: "Administration",
      replies: answers("The errors", loggedErrors),
      handle: () => ok(loggedErrorsView(server().address, server().errors())),
    }),
    adminOperation({
      id: "listSnapshots",
      method: "GET",
      path: "/admin/snapshots",
      summary: "The daily snapshots with their tiers, the newest first",
      tag: "Administration",
      parameters: slicing,
      replies: answers("A page of them", snapshotRunsPage),
      async handle({ query, store }) {
        const slice = parseSlice(query);
        const { runs, total } = await store.read.snapshots.page(slice);
        return ok(snapshotRunsPage.of(runs.map(snapshotRunRecord), slice, total));
      },
    }),
    adminOperation({
      id: "listSettings",
      method: "GET",
      path: "/admin/settings",
      summary: "The settings in force and where each was given; secrets are not shown",
      tag: "Administration",
      replies: answers("The settings", settings),
      handle: () => ok(settingsView(server().address, server().configFile, server().settings)),
    }),
    adminOperation({
      id: "listAdministrators",
      method: "GET",
      path: "/admin/administrators",
      summary: "Who holds an administrator's key, or held one",
      tag: "Administration",
      parameters: slicing,
      replies: answers("A page of them", administratorsPage),
      async handle({ query, store }) {
        const slice = parseSlice(query);
        const all = await store.read.administrators.list();
        const page = all.slice(slice.offset, slice.offset + slice.limit);
        return ok(administratorsPage.of(page.map(administratorRecord), slice, all.length));
      },
    }),
  ];
}
