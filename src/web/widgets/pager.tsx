import type { PagingJson } from "../../api-schemas/paging-schema.ts";
import { formatPageCount } from "../page/page-format.ts";

/** Shows the position of a page in its list, with buttons to the previous and next pages. */
export function PreviousNextButtons(props: {
  page: PagingJson;
  one: string;
  many?: string;
  /** The labels of the buttons, for lists that are not in order of time. */
  directions?: readonly [previous: string, next: string];
  onOffset: (offset: number) => void;
}) {
  const { page, one, many, directions: [previous, next] = ["Newer", "Older"], onOffset } = props;
  const { total, limit, offset, pages } = page;
  return (
    <nav class="pager small" aria-label="Pages">
      <span class="muted" role="status">
        {formatPageCount(total, one, many)}
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
            {previous}
          </button>
          <button
            type="button"
            class="outline"
            disabled={offset + limit >= total}
            onClick={() => onOffset(offset + limit)}
          >
            {next}
          </button>
        </span>
      )}
    </nav>
  );
}
