import { closestKeySpelling } from "../spelling/closest-spelling.ts";
import type { SettingEntry } from "./setting-entry.ts";
import { parseAdminListenSetting } from "./setting-formats.ts";
import {
  isSettingKey,
  SECRET_SETTINGS,
  SETTINGS,
  type SettingKey,
  settingFormat,
  settingKeys,
} from "./settings.ts";

const MAX_SHOWN_CHARS = 60;

/** Returns the problem of one entry as a line for the operator; undefined if it is valid. */
export function settingEntryProblem(entry: SettingEntry): string | undefined {
  const { key } = entry;
  if (!isSettingKey(key)) {
    if (Object.hasOwn(SETTINGS, key)) return `${entry.origin}: expected a section [${key}]`;
    const meant = closestKeySpelling(key, settingKeys());
    return `${entry.origin}: unknown key${meant ? `; did you mean "${meant}"?` : ""}`;
  }
  const format = settingFormat(key);
  if (format.isValid(entry.value)) return undefined;
  const { item: ofItem } = format;
  const index =
    ofItem && Array.isArray(entry.value) ? entry.value.findIndex((value) => !ofItem.isValid(value)) : -1;
  const item = entry.items?.[index];
  const { origin, shown } = item ?? entry;
  const { expected } = item && ofItem ? ofItem : format;
  return `${origin}: expected ${expected}${SECRET_SETTINGS.has(key) ? "" : `, got ${shorten(shown)}`}`;
}

/** Returns the conflicts between settings that are valid on their own. */
export function settingContradictions(entries: ReadonlyMap<SettingKey, SettingEntry>): string[] {
  const value = (key: SettingKey) => entries.get(key)!.value;
  const problems: string[] = [];
  const report = (key: SettingKey, message: string) =>
    problems.push(`${entries.get(key)!.origin}: ${message}`);

  if (value("server.tls_cert") && !value("server.tls_key"))
    report("server.tls_cert", "requires server.tls_key");
  if (value("server.tls_key") && !value("server.tls_cert"))
    report("server.tls_key", "requires server.tls_cert");
  if (value("rm.token") && value("rm.password"))
    report("rm.token", "cannot be used together with rm.password");
  if (value("rm.password") && !value("rm.username")) report("rm.password", "requires rm.username");

  if (value("backup.schedule") && value("storage.url"))
    report(
      "backup.schedule",
      "cannot be used with storage.url; schedule PostgreSQL's own tools instead (pg_dump, or pg_basebackup with WAL " +
        "archiving)",
    );

  const admin = parseAdminListenSetting(value("admin.listen") as string);
  const port = value("server.port");
  if (typeof admin === "object" && port !== 0 && admin.port === port && admin.host === value("server.host")) {
    report("admin.listen", 'the same address as server.host and server.port; "main" shares the listener');
  }
  return problems;
}

function shorten(shown: string): string {
  const line = shown.replace(/\s+/g, " ");
  return line.length <= MAX_SHOWN_CHARS ? line : `${line.slice(0, MAX_SHOWN_CHARS)}…`;
}
