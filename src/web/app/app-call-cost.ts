import type { CallLimit } from "../browser/browser-api-client.ts";
import { formatPageCount } from "../page/page-format.ts";
import { useApp, useAppRerenderOnChange } from "./app-context.ts";

/** The share of the calls below which their number is shown. */
const LOW_SHARE = 0.1;

/** Returns true if few of today's calls are left. */
export const isAppCallLimitLow = ({ limit, remaining }: CallLimit) => remaining <= limit * LOW_SHARE;

/** Returns the number of calls that an act takes, if it matters: few are left today, or it takes many of them. */
export const appCallCountText = (callLimit: CallLimit | undefined, calls: number): string | undefined =>
  callLimit && (isAppCallLimitLow(callLimit) || calls >= callLimit.remaining * LOW_SHARE)
    ? formatPageCount(calls, "API call")
    : undefined;

/** Returns `appCallCountText` for the calls of this session. Renders again when their number changes. */
export function useAppCallCost(): (calls: number) => string | undefined {
  const { api } = useApp();
  useAppRerenderOnChange(api);
  return (calls) => appCallCountText(api.callLimit, calls);
}

/** Returns the text of a button, with details in parentheses if there are any. */
export function appLabelWithDetails(label: string, ...details: readonly (string | undefined)[]): string {
  const shown = details.filter((detail) => detail !== undefined);
  return shown.length === 0 ? label : `${label} (${shown.join(", ")})`;
}
