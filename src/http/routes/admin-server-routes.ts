import { administratorsPage, serializeAdministrator } from "../../api-schemas/administrator-schema.ts";
import { jobInPath, pagingParameters } from "../../api-schemas/api-parameter-schemas.ts";
import { serializeServers, servers } from "../../api-schemas/cluster-server-schema.ts";
import { loggedErrors, serializeLoggedErrors } from "../../api-schemas/error-log-schema.ts";
import { job, jobs, serializeJob, serializeJobs } from "../../api-schemas/job-schema.ts";
import { overview, serializeServerOverview } from "../../api-schemas/server-overview-schema.ts";
import { serializeSettings, settings } from "../../api-schemas/setting-schema.ts";
import { serializeSnapshotRun, snapshotRunsPage } from "../../api-schemas/snapshot-schema.ts";
import { LEASE_MS } from "../../cluster/lease.ts";
import type { EffectiveSetting } from "../../config/effective-setting.ts";
import { notFound } from "../../domain/errors.ts";
import type { LoggedError } from "../../logging/logged-error.ts";
import type { MonitoredJobStart, MonitoredJobState } from "../../monitoring/monitored-job-state.ts";
import type { ServerOverview } from "../../monitoring/monitored-server-overview.ts";
import { startJobAsAdministrator } from "../../usecases/administration/start-job-as-administrator.ts";
import {
  acceptedReplies,
  acceptedReply,
  adminOperation,
  type Operation,
  okReplies,
  okReply,
} from "../http-operation.ts";
import { parseRowRangeHttpQuery } from "../http-query-parameters.ts";

/** The state of the running server. */
export type ServerState = {
  /** The address on which it listens. */
  address: string;
  overview: () => Promise<ServerOverview>;
  jobs: () => MonitoredJobState[];
  /** Starts a job, or returns where it is already running. Resolves to undefined for an unknown name. */
  runJob: (name: string) => Promise<MonitoredJobStart | undefined>;
  /** The path of the configuration file; undefined if there is none. */
  configFile: string | undefined;
  settings: readonly EffectiveSetting[];
  /** Returns the latest errors logged since the start, newest first. */
  errors: () => readonly LoggedError[];
};

/** The operations on the server's health, jobs and settings. */
export function adminServerOperations(server: () => ServerState): Operation[] {
  return [
    adminOperation({
      id: "getOverview",
      method: "GET",
      path: "/admin/overview",
      summary: "Get the server's health, with remedies",
      tag: "Administration",
      replies: okReplies("The checks and totals", overview),
      handle: async () => okReply(serializeServerOverview(await server().overview())),
    }),
    adminOperation({
      id: "listJobs",
      method: "GET",
      path: "/admin/jobs",
      summary: "List scheduled jobs",
      tag: "Administration",
      replies: okReplies("The jobs", jobs),
      handle: () => okReply(serializeJobs(server().address, server().jobs())),
    }),
    adminOperation({
      id: "listServers",
      method: "GET",
      path: "/admin/servers",
      summary: "List the servers that share the database",
      tag: "Administration",
      replies: okReplies("The servers", servers),
      async handle({ store }) {
        const { isShared } = store;
        return okReply(
          serializeServers({ isShared, servers: isShared ? await store.read.servers.list(LEASE_MS) : [] }),
        );
      },
    }),
    adminOperation({
      id: "runJob",
      method: "POST",
      path: "/admin/jobs/{name}/run",
      summary: "Run a job now",
      description: "`snapshot` takes today's snapshot if it was not taken yet.",
      tag: "Administration",
      parameters: [jobInPath],
      replies: acceptedReplies("The job is running", job),
      errors: [409],
      body: "optional",
      async handle({ administration, params }) {
        const { jobs, runJob: start } = server();
        const find = () => jobs().find(({ name }) => name === params.name);
        if (!find()) throw notFound(`Job not found: ${params.name}`);
        await startJobAsAdministrator(administration, params.name!, start);
        return acceptedReply(serializeJob(find()!));
      },
    }),
    adminOperation({
      id: "listErrors",
      method: "GET",
      path: "/admin/errors",
      summary: "List recently logged errors",
      description:
        "Returns at most 100 errors since the server started, newest first. The log has all of them.",
      tag: "Administration",
      replies: okReplies("The errors", loggedErrors),
      handle: () => okReply(serializeLoggedErrors(server().address, server().errors())),
    }),
    adminOperation({
      id: "listSnapshots",
      method: "GET",
      path: "/admin/snapshots",
      summary: "List daily snapshots",
      tag: "Administration",
      parameters: pagingParameters,
      replies: okReplies("A page of snapshots, newest first", snapshotRunsPage),
      async handle({ query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const { runs, total } = await store.read.snapshots.page(slice);
        return okReply(snapshotRunsPage.of(runs.map(serializeSnapshotRun), slice, total));
      },
    }),
    adminOperation({
      id: "listSettings",
      method: "GET",
      path: "/admin/settings",
      summary: "List the active settings",
      tag: "Administration",
      replies: okReplies("The settings with their sources, without secrets", settings),
      handle: () => okReply(serializeSettings(server().address, server().configFile, server().settings)),
    }),
    adminOperation({
      id: "listAdministrators",
      method: "GET",
      path: "/admin/administrators",
      summary: "List administrators",
      tag: "Administration",
      parameters: pagingParameters,
      replies: okReplies("A page of administrators, including revoked ones", administratorsPage),
      async handle({ query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const all = await store.read.administrators.list();
        const page = all.slice(slice.offset, slice.offset + slice.limit);
        return okReply(administratorsPage.of(page.map(serializeAdministrator), slice, all.length));
      },
    }),
  ];
}
