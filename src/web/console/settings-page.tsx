import type { SettingJson, SettingsJson } from "../../wire/setting.ts";
import { EmptyState, LoadedContent } from "../browser/load-states.tsx";
import { type Route, replaceQuery } from "../browser/route.ts";
import { DataTable, Section } from "../sections/section.tsx";
import { useRead, useTitle } from "./console-context.ts";
import { Heading } from "./shell.tsx";

/** Lists the active settings with the source of each. */
export function SettingsPage({ route }: { route: Route }) {
  const loaded = useRead<SettingsJson>("/admin/settings");
  const isFiltered = route.query.get("show") === "given";
  useTitle("Settings");
  return (
    <LoadedContent loaded={loaded} what="the settings" isPage>
      {({ server, file, settings }) => {
        const shown = settings.filter(({ origin }) => !isFiltered || origin !== "default");
        const sections = Map.groupBy(shown, ({ key }) => key.split(".")[0]!);
        return (
          <>
            <Heading
              title="Settings"
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
            >
              <label class="switch">
                <input
                  type="checkbox"
                  checked={isFiltered}
                  onChange={({ currentTarget }) =>
                    replaceQuery(route, { show: currentTarget.checked ? "given" : "" })
                  }
                />
                Show non-default only
              </label>
            </Heading>
            {shown.length === 0 && <EmptyState title="All settings have their default values" />}
            {[...sections].map(([name, group]) => (
              <Section id={`settings-${name}`} title={name}>
                <DataTable
                  caption={`Settings: ${name}`}
                  rows={group}
                  columns={[
                    { heading: "Setting", cell: ({ key }) => <code>{key.slice(name.length + 1)}</code> },
                    { heading: "Value", cell: Value },
                    {
                      heading: "Source",
                      cell: ({ origin }) =>
                        origin === "default" ? <span class="muted">default</span> : <code>{origin}</code>,
                    },
                  ]}
                />
              </Section>
            ))}
          </>
        );
      }}
    </LoadedContent>
  );
}

function Value({ value, is_secret, is_set }: SettingJson) {
  if (is_secret) return <span class="muted">{is_set ? "Set (hidden)" : "Not set"}</span>;
  return is_set ? <code>{value}</code> : <span class="muted">{value === "[]" ? "None" : "Not set"}</span>;
}
