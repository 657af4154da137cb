import type { SavedFiltersJson } from "../../api-schemas/saved-filter-schema.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { messageOfFailedEdit } from "../records/edit-record.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { SelectFilter } from "../widgets/filters.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { useApp } from "./app-context.ts";

const PATH = "/v1/saved-filters";

/** The filters that the partner has saved for a list, with buttons to save and to remove. */
export function AppSavedFilters({ route }: { route: Route }) {
  const { api } = useApp();
  const loaded = useLoad("saved filters", () => api.read<SavedFiltersJson>(PATH));
  const filters = loaded.value?.filters ?? [];
  const query = route.query.toString();
  const current = filters.find((one) => one.query === query);
  const put = (name: string, saved: string | null) =>
    messageOfFailedEdit(async () => {
      await api.write("PUT", PATH, { name, query: saved });
      loaded.reload();
    });
  return (
    <>
      {filters.length > 0 && (
        <SelectFilter
          label="Saved filters"
          all="None"
          value={current?.name ?? ""}
          choices={filters.map(({ name }) => [name, name])}
          onChange={(name) => {
            const chosen = filters.find((one) => one.name === name);
            location.hash = hrefTo(route.segments, Object.fromEntries(new URLSearchParams(chosen?.query)));
          }}
        />
      )}
      {current ? (
        <button
          type="button"
          class="outline"
          onClick={async () => {
            const failure = await put(current.name, null);
            if (failure !== undefined) showToast(failure, { isFailure: true });
          }}
        >
          Remove saved filter
        </button>
      ) : (
        query !== "" && (
          <ConfirmDialog
            name="Save filters"
            title="Save these filters"
            onConfirm={(form) => put(String(form.get("name")).trim(), query)}
          >
            <label>
              Name
              <input name="name" required maxLength={200} />
            </label>
            <p class="small muted">Everyone who signs in to this account can use them.</p>
          </ConfirmDialog>
        )
      )}
    </>
  );
}
