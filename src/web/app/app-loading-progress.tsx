import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { appLabelWithDetails, useAppCallCost } from "./app-call-cost.ts";
import { useApp, useAppRerenderOnChange } from "./app-context.ts";
import { PAGE_INTERVAL_MS, PAGE_SIZE } from "./app-portfolio-loader.ts";

/**
 * The number of properties loaded, and a button to load all. For figures that are computed from the loaded ones; those that
 * leave the demo property out have a total of their own.
 */
export function AppLoadingProgress({ hasTotal = true }: { hasTotal?: boolean }) {
  const { portfolio } = useApp();
  useAppRerenderOnChange(portfolio);
  const costOf = useAppCallCost();
  const { loaded, total = 0, isLoading, failure } = portfolio.state;
  const remaining = total - loaded.length;
  if (remaining <= 0)
    return hasTotal && <p class="muted">{formatPageCount(total, "property", "properties")}</p>;
  const calls = Math.ceil(remaining / PAGE_SIZE);
  const minutes = Math.max(1, Math.round((calls * PAGE_INTERVAL_MS) / 60_000));
  return (
    <div class="load-progress">
      <p class="muted" role="status">
        {formatPageWholeNumber(loaded.length)} of {formatPageWholeNumber(total)} properties loaded
        {isLoading ? "…" : ". Search, filters and sorting apply to loaded properties only."}
        {failure && ` ${failure.message}`}
      </p>
      <progress value={loaded.length} max={total} aria-label="Properties loaded" />
      {isLoading ? (
        <button type="button" class="outline" onClick={() => portfolio.stop()}>
          Stop
        </button>
      ) : (
        <button type="button" class="outline" onClick={() => void portfolio.loadRest()}>
          {appLabelWithDetails("Load all", costOf(calls), `about ${formatPageCount(minutes, "minute")}`)}
        </button>
      )}
    </div>
  );
}
