/** A configured value of a setting and its origin, for error messages. */
export type SettingEntry = {
  /** The key as written, for example "server.port". It may be unknown. */
  key: string;
  value: unknown;
  /** The origin, such as "mainstay.toml:12: server.port", "MAINSTAY_SERVER__PORT" or "--port". Messages start with it. */
  origin: string;
  /** The value as written. */
  shown: string;
  /** The origin and text of each item of a list. */
  items?: { origin: string; shown: string }[];
};

/** The values from one source, and the problems of the source itself, each as a complete line. */
export type SettingsReading = { entries: SettingEntry[]; problems: string[] };
