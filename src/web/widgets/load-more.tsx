import { appLabelWithDetails, useAppCallCost } from "../app/app-call-cost.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";

/** The number of rows loaded, and a button for the next page. */
export function LoadMore(props: { loaded: number; total: number; isLoading: boolean; onMore: () => void }) {
  const { loaded, total, isLoading, onMore } = props;
  const costOf = useAppCallCost();
  if (loaded >= total) return null;
  return (
    <p class="load-more screen">
      <span class="muted">
        {formatPageWholeNumber(loaded)} of {formatPageWholeNumber(total)} loaded
      </span>
      <button type="button" class="outline" aria-busy={isLoading} disabled={isLoading} onClick={onMore}>
        {isLoading ? "Loading…" : appLabelWithDetails("Load 200 more", costOf(1))}
      </button>
    </p>
  );
}
