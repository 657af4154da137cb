import {
  anyText,
  basePath,
  baseUrl,
  costLocation,
  currency,
  databaseUrl,
  decimalSettingFormat,
  filePath,
  frameAncestors,
  host,
  hosts,
  listenAddress,
  logFormat,
  loggedDeliveries,
  logLevel,
  networks,
  onOff,
  optionalPath,
  type SettingFormat,
  schedule,
  timeOfDay,
  unitSystem,
  webUrl,
  wholeNumberOrAutoSettingFormat,
  wholeNumberSettingFormat,
} from "./setting-formats.ts";

/** All settings with their formats. Defaults, units and explanations are in `config.example.toml`. */
export const SETTINGS = {
  server: {
    host,
    port: wholeNumberSettingFormat(0, 65_535),
    base_path: basePath,
    public_url: baseUrl,
    tls_cert: optionalPath,
    tls_key: optionalPath,
    trusted_proxies: networks,
    idle_timeout_s: wholeNumberSettingFormat(1, 255),
    drain_s: wholeNumberOrAutoSettingFormat(0, 600),
    shutdown_grace_s: wholeNumberSettingFormat(0, 600),
    cache_mb: wholeNumberSettingFormat(0, 65_536),
  },
  admin: { listen: listenAddress, allowed_hosts: hosts },
  storage: {
    data_dir: filePath,
    url: databaseUrl,
    min_free_bytes: wholeNumberSettingFormat(0, 1_000_000_000_000),
    max_database_bytes: wholeNumberSettingFormat(0, 1_000_000_000_000_000),
  },
  limits: {
    per_ip_per_minute: wholeNumberSettingFormat(0, 1_000_000),
    per_partner_per_minute: wholeNumberSettingFormat(0, 1_000_000),
    daily_budget: wholeNumberSettingFormat(0, 1_000_000_000),
    body_bytes: wholeNumberSettingFormat(1024, 104_857_600),
    response_timeout_s: wholeNumberSettingFormat(1, 3600),
    bulk_items: wholeNumberSettingFormat(1, 100_000),
    photo_bytes: wholeNumberSettingFormat(1024, 104_857_600),
    photo_bytes_per_partner: wholeNumberSettingFormat(0, 1_000_000_000_000_000),
  },
  snapshot: { enabled: onOff, at: timeOfDay },
  webhooks: {
    concurrency_per_partner: wholeNumberSettingFormat(1, 64),
    timeout_ms: wholeNumberSettingFormat(100, 60_000),
    allow_networks: networks,
    deny_networks: networks,
    ca_file: optionalPath,
    proxy: webUrl,
    log_retention_days: wholeNumberSettingFormat(1, 3650),
    pause_after_failures: wholeNumberSettingFormat(0, 10_000),
    probe_interval_s: wholeNumberSettingFormat(10, 86_400),
  },
  backup: { schedule, keep: wholeNumberSettingFormat(1, 1000), dir: optionalPath, passphrase: anyText },
  costs: {
    location: costLocation,
    price_level: decimalSettingFormat(0.1, 10),
    building_per_sqft: decimalSettingFormat(1, 10_000),
  },
  display: { currency, units: unitSystem },
  embed: { frame_ancestors: frameAncestors },
  log: { level: logLevel, format: logFormat, deliveries: loggedDeliveries },
  rm: {
    url: webUrl,
    username: anyText,
    password: anyText,
    token: anyText,
    ca_file: optionalPath,
    timeout_ms: wholeNumberSettingFormat(100, 60_000),
  },
};

/** Settings whose values are never shown, not even in error messages. URLs may contain a password. */
export const SECRET_SETTINGS: ReadonlySet<string> = new Set<SettingKey>([
  "storage.url",
  "webhooks.proxy",
  "backup.passphrase",
  "rm.url",
  "rm.password",
  "rm.token",
]);

/** Settings with paths, which are made absolute when they are read. */
export const PATH_SETTINGS: ReadonlySet<string> = new Set<SettingKey>([
  "server.tls_cert",
  "server.tls_key",
  "storage.data_dir",
  "webhooks.ca_file",
  "backup.dir",
  "rm.ca_file",
]);

type Settings = typeof SETTINGS;

/** A setting's full name, such as "server.port". */
export type SettingKey = {
  [S in keyof Settings]: `${S}.${keyof Settings[S] & string}`;
}[keyof Settings];

/**
 * The effective settings, frozen. Names are those of the file in camelCase (`config.server.basePath`), with units in the
 * names. Paths are absolute. An unused text is "".
 */
export type Config = {
  readonly [S in keyof Settings]: {
    readonly [K in keyof Settings[S] as CamelCase<K & string>]: Settings[S][K] extends { infer: infer V }
      ? V extends readonly (infer Item)[]
        ? readonly Item[]
        : V
      : never;
  };
} & {
  /** The absolute path of the configuration file; undefined if there is none. */
  readonly file: string | undefined;
  /** The origin of each setting's value: a line of the file, a variable, a flag or "default". */
  readonly origins: ReadonlyMap<SettingKey, string>;
};

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Converts "base_path" to "basePath". */
export function camelCaseSettingName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const SETTING_KEYS = Object.entries(SETTINGS).flatMap(([section, settings]) =>
  Object.keys(settings).map((name) => `${section}.${name}` as SettingKey),
);

/** Returns the full names of all settings, in the order of the file. */
export function settingKeys(): readonly SettingKey[] {
  return SETTING_KEYS;
}

/** Returns whether a text is the key of a setting, such as `server.port`. */
export function isSettingKey(key: string): key is SettingKey {
  return (SETTING_KEYS as string[]).includes(key);
}

/** Returns the format of the setting's value. */
export function settingFormat(key: SettingKey): SettingFormat<unknown> {
  const [section, name] = key.split(".") as [keyof Settings, string];
  return (SETTINGS[section] as Record<string, SettingFormat<unknown>>)[name]!;
}

/** Converts "server.port" to "MAINSTAY_SERVER__PORT". */
export function environmentVariableOf(key: SettingKey): string {
  return `MAINSTAY_${key.replace(".", "__").toUpperCase()}`;
}
