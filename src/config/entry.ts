/** One value that somebody gave for a setting, and where, so that a problem can be pointed at. */
export type Entry = {
  /** As it was written, for example "server.port"; it need not be a setting's name. */
  key: string;
  value: unknown;
  /** "mainstay.toml:12: server.port", "MAINSTAY_SERVER__PORT" or "--port"; problems start with it. */
  origin: string;
  /** The value as it was written. */
  shown: string;
  /** For a list: the same of each item. */
  items?: { origin: string; shown: string }[];
};

/** What a place gave: values, and what is wrong with the place itself, each a whole line for the operator. */
export type Reading = { entries: Entry[]; problems: string[] };
