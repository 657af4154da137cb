import type { SettingJson, SettingsJson } from "../../api-schemas/setting-schema.ts";
import { type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { formatPageCount } from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { FilterRow, SearchFilter } from "../widgets/filters.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { useAdminRead, useConsoleTitle } from "./console-context.ts";
import { ConsoleHeading } from "./console-shell.tsx";

/** Lists the active settings with the meaning and the source of each. */
export function ConsoleSettingsPage({ route }: { route: Route }) {
  const loaded = useAdminRead<SettingsJson>("/admin/settings");
  const isFiltered = route.query.get("show") === "given";
  const text = (route.query.get("q") ?? "").toLowerCase();
  useConsoleTitle("Server settings");
  return (
    <LoadedContent loaded={loaded} what="the settings" isPage>
      {({ server, file, settings }) => {
        const shown = settings.filter(
          ({ key, description, origin }) =>
            (!isFiltered || origin !== "default") && `${key} ${description.toLowerCase()}`.includes(text),
        );
        const sections = Map.groupBy(shown, ({ key }) => key.split(".")[0]!);
        return (
          <>
            <ConsoleHeading
              title="Server settings"
              about={
                <>
                  {file === null ? (
                    "No configuration file. Change settings with environment variables or flags."
                  ) : (
                    <>
                      Change settings in <code>{file}</code>, environment variables or flags.
                    </>
                  )}{" "}
                  Restart to apply. Reported by {server}.
                </>
              }
            />
            <FilterRow>
              <SearchFilter
                label="Search settings"
                value={route.query.get("q") ?? ""}
                onChange={(q) => replaceBrowserUrlQuery(route, { q })}
              />
              <label class="switch">
                <input
                  type="checkbox"
                  checked={isFiltered}
                  onChange={({ currentTarget }) =>
                    replaceBrowserUrlQuery(route, { show: currentTarget.checked ? "given" : "" })
                  }
                />
                Show non-default only
              </label>
              <span class="result-count" role="status">
                {formatPageCount(shown.length, "setting")}
              </span>
            </FilterRow>
            {shown.length === 0 && (
              <EmptyState
                title={text === "" ? "All settings have their default values" : "No matching settings"}
              />
            )}
            {[...sections].map(([name, group]) => (
              <ReportSection id={`settings-${name}`} title={name}>
                <SectionTable
                  caption={`Settings: ${name}`}
                  rows={group}
                  columns={[
                    { heading: "Setting", cell: (setting) => <Setting setting={setting} /> },
                    { heading: "Value", cell: Value },
                    {
                      heading: "Source",
                      cell: ({ origin }) =>
                        origin === "default" ? <span class="muted">Default</span> : <code>{origin}</code>,
                    },
                  ]}
                />
              </ReportSection>
            ))}
          </>
        );
      }}
    </LoadedContent>
  );
}

function Setting({ setting: { key, description, accepts } }: { setting: SettingJson }) {
  return (
    <>
      <code>{key.slice(key.indexOf(".") + 1)}</code>
      <span class="under small">{description}</span>
      <span class="under small muted">Accepts {accepts}</span>
    </>
  );
}

function Value({ value, default_value, origin, is_secret, is_set }: SettingJson) {
  if (is_secret) return <span class="muted">{is_set ? "Set (hidden)" : "Not set"}</span>;
  return (
    <>
      {is_set ? <code>{value}</code> : <span class="muted">{value === "[]" ? "None" : "Not set"}</span>}
      {origin !== "default" && (
        <span class="under small muted">
          Default <code>{default_value}</code>
        </span>
      )}
    </>
  );
}
