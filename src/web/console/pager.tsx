import type { PagingJson } from "../../wire/paging.ts";
import { counted } from "../format.ts";

/** Where a page of a list stands, and the way to the ones beside it. */
export function Pager(props: {
  page: PagingJson;
  one: string;
  many?: string;
  /** How the pages beside it are called, where a list is in another order than of time. */
  directions?: readonly [before: string, after: string];
  onOffset: (offset: number) => void;
}) {
  const { page, one, many, directions: [before, after] = ["Newer", "Older"], onOffset } = props;
  const { total, limit, offset, pages } = page;
  return (
    <nav class="pager small" aria-label="Pages">
      <span class="mute" role="status">
        {counted(total, one, many)}
        {pages > 1 && `, page ${page.page} of ${pages}`}
      </span>
      {pages > 1 && (
        <span class="choices">
          <button
            type="button"
            class="outline"
            disabled={offset === 0}
            onClick={() => onOffset(Math.max(0, offset - limit))}
          >
            {before}
          </button>
          <button
            type="button"
            class="outline"
            disabled={offset + limit >= total}
            onClick={() => onOffset(offset + limit)}
          >
            {after}
          </button>
        </span>
      )}
    </nav>
  );
}
