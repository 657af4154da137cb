import { effectiveSettings } from "../../config/effective-settings.ts";
import type { ServerState } from "../../http/routes/admin-server-routes.ts";
import type { JobSchedule } from "../../jobs/job-schedule.ts";
import type { Listeners } from "../server-listeners.ts";
import { composeServerOverview, type OverviewSources } from "./compose-server-overview.ts";

/** Values that exist only once the server listens. */
export type StartedParts = { listeners?: Listeners; jobs?: JobSchedule };

/** Returns what the running server reports about itself to administrators. */
export function composeServerState(
  sources: Omit<OverviewSources, "tlsValidTo">,
  later: StartedParts,
  recentErrors: ServerState["errors"],
): ServerState {
  const { config } = sources;
  return {
    address: later.listeners?.knownAs ?? "",
    overview: () => composeServerOverview({ ...sources, tlsValidTo: later.listeners?.tlsValidTo() }),
    jobs: () => later.jobs?.states() ?? [],
    runJob: async (name) => await later.jobs?.runNow(name),
    configFile: config.file,
    settings: effectiveSettings(config),
    errors: recentErrors,
  };
}
