import type { AlertPageJson } from "../../api-schemas/component-schema.ts";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { OFFERED_SYSTEMS } from "../page/page-code-labels.ts";
import { appAlertsPath } from "./app-alerts-page.tsx";
import { readAppApplianceTypes } from "./app-context.ts";

/** The critical and warning components of a building system, in the whole portfolio. */
export type SystemAlerts = { system: string; critical: number; warning: number };

/**
 * Reads the systems, most critical components first. They are counted in the first page of alerts if it has all of them
 * and none that the counts leave out, and otherwise by one call per system.
 */
export async function readAppAlertsBySystem(api: ApiClient, includesDemo: boolean): Promise<SystemAlerts[]> {
  const demo = { include_demo: String(includesDemo) };
  const first = await api.read<AlertPageJson>(`${appAlertsPath(demo)}&limit=200&offset=0`);
  const isAll = first.total <= first.alerts.length;
  const isCounted = first.critical_count + first.warning_count === first.total;
  const rows = isAll && isCounted ? await countAlerts(api, first) : await requestCounts(api, demo);
  return rows
    .filter(({ critical, warning }) => critical + warning > 0)
    .sort((a, b) => b.critical - a.critical || b.warning - a.warning);
}

async function countAlerts(api: ApiClient, { alerts }: AlertPageJson): Promise<SystemAlerts[]> {
  const applianceNames = new ApplianceNames(await readAppApplianceTypes(api), []);
  const systems = Map.groupBy(alerts, ({ appliance_type }) => applianceNames.systemOf(appliance_type));
  return [...systems].map(([system, group]) => {
    const critical = group.filter(({ risk_tier }) => risk_tier === "CRITICAL").length;
    return { system, critical, warning: group.length - critical };
  });
}

async function requestCounts(
  api: ApiClient,
  demo: Readonly<Record<string, string>>,
): Promise<SystemAlerts[]> {
  const rows: SystemAlerts[] = [];
  for (const system of OFFERED_SYSTEMS) {
    const page = await api.read<AlertPageJson>(`${appAlertsPath({ system, ...demo })}&limit=1&offset=0`);
    rows.push({ system, critical: page.critical_count, warning: page.warning_count });
  }
  return rows;
}
