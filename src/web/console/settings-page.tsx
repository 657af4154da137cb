import type { SettingJson, SettingsJson } from "../../wire/setting.ts";
import { type Place, replaceQuery } from "../browser/place.ts";
import { Empty, Showing } from "../browser/states.tsx";
import { DataTable, Section } from "../sections/section.tsx";
import { useRead, useTitle } from "./console-context.ts";
import { Heading } from "./shell.tsx";

/** The settings in force, and where each was given. */
export function SettingsPage({ place }: { place: Place }) {
  const loaded = useRead<SettingsJson>("/admin/settings");
  const onlyGiven = place.query.get("show") === "given";
  useTitle("Settings");
  return (
    <Showing loaded={loaded} what="the settings" isPage>
      {({ server, file, settings }) => {
        const shown = settings.filter(({ origin }) => !onlyGiven || origin !== "default");
        const sections = Map.groupBy(shown, ({ key }) => key.split(".")[0]!);
        return (
          <>
            <Heading
              title="Settings"
              about={
                <>
                  {file === null ? "No file was read." : <code>{file}</code>} Settings are changed there, in
                  the environment or by flags, and take effect with the next start. Told by the server at{" "}
                  {server}.
                </>
              }
            >
              <label class="switch">
                <input
                  type="checkbox"
                  checked={onlyGiven}
                  onChange={({ currentTarget }) =>
                    replaceQuery(place, { show: currentTarget.checked ? "given" : "" })
                  }
                />
                Only what differs from the defaults
              </label>
            </Heading>
            {shown.length === 0 && <Empty title="Every setting is at its default" />}
            {[...sections].map(([name, group]) => (
              <Section id={`settings-${name}`} title={name}>
                <DataTable
                  caption={`Settings of ${name}`}
                  rows={group}
                  columns={[
                    { heading: "Setting", cell: ({ key }) => <code>{key.slice(name.length + 1)}</code> },
                    { heading: "Value", cell: Value },
                    {
                      heading: "Given by",
                      cell: ({ origin }) =>
                        origin === "default" ? <span class="mute">default</span> : <code>{origin}</code>,
                    },
                  ]}
                />
              </Section>
            ))}
          </>
        );
      }}
    </Showing>
  );
}

function Value({ value, is_secret, is_set }: SettingJson) {
  if (is_secret) return <span class="mute">{is_set ? "Set; not shown" : "Not set"}</span>;
  return is_set ? <code>{value}</code> : <span class="mute">{value === "[]" ? "None" : "Not set"}</span>;
}
