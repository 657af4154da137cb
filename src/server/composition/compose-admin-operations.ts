import { configuredPublicUrl } from "../../config/configured-public-url.ts";
import type { ConsoleSessions } from "../../http/http-console-session-cookies.ts";
import type { Operation } from "../../http/http-operation.ts";
import { type AdminApiDeps, adminApiOperations } from "../../http/routes/admin-api-routes.ts";
import { consoleOperations } from "../../http/routes/console-routes.ts";
import { metricsOperation } from "../../http/routes/metrics-routes.ts";
import type { LoggedError } from "../../logging/logged-error.ts";
import type { Metrics } from "../../metrics/prometheus-metrics.ts";
import { testPmsConnection } from "../../pms/pms-connection-test.ts";
import type { Store } from "../../store/store.ts";
import { probePartnerSignatureVerification } from "../../usecases/deliveries/probe-partner-signature-verification.ts";
import { createWebhookResolver } from "../../webhooks/webhook-dns-resolver.ts";
import type { HttpSender } from "../../webhooks/webhook-http-sender.ts";
import type { CalibrationRuns } from "./compose-calibration-runs.ts";
import type { PartnerTasks } from "./compose-partner-tasks.ts";
import type { OverviewSources } from "./compose-server-overview.ts";
import { composeServerState, type StartedParts } from "./compose-server-state.ts";

type Sources = Omit<OverviewSources, "read" | "tlsValidTo" | "walArchiving"> & {
  store: Store;
  metrics: Metrics;
  later: StartedParts;
  recentErrors: () => readonly LoggedError[];
};

/** The dependencies of the administrators' operations. */
export type AdminDeps = {
  sessions: ConsoleSessions;
  proposals: CalibrationRuns;
  tasks: PartnerTasks;
  send: HttpSender["send"];
} & Pick<AdminApiDeps, "losses">;

/** Returns the operations of the administrators' listener: the console, the metrics, and the operations of both. */
export function composeAdminOperations(
  { store, metrics, later, recentErrors, ...sources }: Sources,
  { sessions, proposals, tasks, send, losses }: AdminDeps,
): Operation[] {
  const { config, clock, knowledge } = sources;
  const partnersReachIt = config.admin.listen === "main";
  return [
    ...consoleOperations({
      sessions,
      partnersReachIt,
      isSecure: () => later.listeners?.adminUrl.startsWith("https:") ?? false,
    }),
    metricsOperation(metrics, { partnersReachIt }),
    ...adminApiOperations({
      knowledge,
      losses,
      clock,
      partnersReachIt,
      publicUrl: () => configuredPublicUrl(config, later.listeners?.url),
      newPartnersBudget: config.limits.dailyBudget,
      server: () =>
        composeServerState(
          { ...sources, read: store.read, walArchiving: store.walArchiving },
          later,
          recentErrors,
        ),
      proposals: () => proposals,
      tasks: () => tasks,
      probe: async (administration, partner) => {
        const { timeoutMs } = config.webhooks;
        return (
          await probePartnerSignatureVerification({ administration, send, clock, timeoutMs }, [partner])
        )[0];
      },
      runRmPreflight: () =>
        testPmsConnection({ settings: config.rm, resolve: createWebhookResolver(), clock }),
    }),
  ];
}
