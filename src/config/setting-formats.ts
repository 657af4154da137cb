import { isIP } from "node:net";
import { UNIT_SYSTEMS } from "../domain/wording/currency-and-unit-wording.ts";
import { isIpNetwork } from "../ip-networks/ip-network.ts";

/**
 * The format of a setting's value, with a description for the operator. Does not use arktype, since loading it takes as
 * long as a whole small command.
 */
export class SettingFormat<T> {
  declare readonly infer: T;

  constructor(
    readonly expected: string,
    readonly isValid: (value: unknown) => boolean,
    /** The format of each item of a list. */
    readonly item?: SettingFormat<unknown>,
  ) {}
}

/** A whole number from `min` to `max`, inclusive. */
export const wholeNumberSettingFormat = (min: number, max: number) =>
  new SettingFormat<number>(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && min <= (value as number) && (value as number) <= max,
  );

/** A number from `min` to `max`, inclusive. */
export const decimalSettingFormat = (min: number, max: number) =>
  new SettingFormat<number>(
    `a number from ${min} to ${max}`,
    (value) => typeof value === "number" && min <= value && value <= max,
  );

/** A whole number from `min` to `max`, inclusive, or "auto" where the server chooses it. */
export const wholeNumberOrAutoSettingFormat = (min: number, max: number) => {
  const number = wholeNumberSettingFormat(min, max);
  return new SettingFormat<number | "auto">(
    `"auto" or ${number.expected}`,
    (value) => value === "auto" || number.isValid(value),
  );
};

export const onOff = new SettingFormat<boolean>("true or false", (value) => typeof value === "boolean");

const oneOf = <const T extends string>(expected: string, ...values: readonly T[]) =>
  new SettingFormat<T>(expected, (value) => (values as readonly unknown[]).includes(value));

export const logLevel = oneOf(
  '"trace", "debug", "info", "warn", "error" or "silent"',
  "trace",
  "debug",
  "info",
  "warn",
  "error",
  "silent",
);
export const logFormat = oneOf('"json" or "pretty"', "json", "pretty");
export const currency = new SettingFormat<string>(
  "a currency by its ISO 4217 code, such as USD, CAD or EUR",
  (value) => typeof value === "string" && Intl.supportedValuesOf("currency").includes(value),
);
export const unitSystem = oneOf('"imperial" or "metric"', ...UNIT_SYSTEMS);
export const costLocation = oneOf('"state" or "none"', "state", "none");
export const loggedDeliveries = oneOf('"all", "failed" or "none"', "all", "failed", "none");

const text = (expected: string, holds: (value: string) => boolean) =>
  new SettingFormat<string>(expected, (value) => typeof value === "string" && holds(value));

/** Text that may be empty. An empty text means that the setting is not used. */
const optional = (expected: string, holds: (value: string) => boolean) =>
  text(`${expected}, or ""`, (value) => value === "" || holds(value));

export const anyText = text("text on one line", isOneLine);
export const filePath = text("a path", (value) => value !== "" && !value.includes("\0"));
export const optionalPath = optional("a path", (value) => !value.includes("\0"));
export const host = text("an IP address or a host name", isHost);
export const listenAddress = text(
  '"main" or "ADDRESS:PORT"',
  (value) => parseAdminListenSetting(value) !== undefined,
);
export const basePath = text(
  'a path such as "/api", without a slash at its end, or ""',
  isMatch(/^(\/(?!\.\.?(\/|$))[\w.~-]+)*$/), // clients normalize "." and ".." before they send a path
);
export const webUrl = optional("an http:// or https:// URL", isUrl(/^https?:$/));
export const baseUrl = optional(
  "an http:// or https:// URL without user, query and fragment",
  (value) => isUrl(/^https?:$/)(value) && !/[?#@]/.test(value), // paths are appended to it
);
export const databaseUrl = optional(
  '"postgres://USER:PASSWORD@HOST:5432/DATABASE"',
  // The rest of the URL is validated when the database is opened.
  isMatch(/^postgres(ql)?:\/\//),
);
export const timeOfDay = text('a time in UTC such as "03:00"', isMatch(/^([01]\d|2[0-3]):[0-5]\d$/));
export const schedule = optional('five cron fields such as "30 4 * * *", on days that exist', isCron);
export const networks = list(
  "networks such as 10.0.0.0/8",
  text("a network such as 10.0.0.0/8, with no address bits beyond its prefix", isIpNetwork),
);
export const hosts = list("host names and IP addresses", host);
export const frameAncestors = list(
  "sources such as https://portal.example.com",
  text("a source such as https://portal.example.com, 'self', 'none' or *", isFrameAncestor),
);

function list<T>(what: string, item: SettingFormat<T>): SettingFormat<T[]> {
  return new SettingFormat(
    `a list of ${what}`,
    (value) => Array.isArray(value) && value.every(item.isValid),
    item,
  );
}

/** Parses `admin.listen`. Returns undefined if the text is neither "main" nor an address with a port. */
export function parseAdminListenSetting(value: string): "main" | { host: string; port: number } | undefined {
  if (value === "main") return value;
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value);
  if (!match) return undefined;
  const address = match[1] ?? match[2]!;
  const port = Number(match[3]);
  const addressHolds = match[1] ? isIP(address) === 6 : isHost(address);
  return addressHolds && port <= 65_535 ? { host: address, port } : undefined;
}

function isOneLine(value: string): boolean {
  return !/\p{Cc}/u.test(value);
}

function isMatch(pattern: RegExp) {
  return (value: string) => pattern.test(value);
}

function isHost(value: string): boolean {
  return isIP(value) !== 0 || (value.length <= 253 && /^(?!-)[A-Za-z\d-]+(\.[A-Za-z\d-]+)*\.?$/.test(value));
}

function isUrl(protocol: RegExp) {
  return (value: string) => {
    const url = isOneLine(value) ? URL.parse(value) : null;
    return url !== null && protocol.test(url.protocol) && url.hostname !== "";
  };
}

/** Accepts a Content-Security-Policy source, and no text that could end the directive or the header. */
function isFrameAncestor(value: string): boolean {
  if (value === "*" || value === "'self'" || value === "'none'") return true;
  return /^https?:(\/\/(\*\.)?[A-Za-z\d.-]+(:(\d{1,5}|\*))?)?$/.test(value);
}

const CRON_BOUNDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const CRON_NAMES = [
  "",
  "",
  "",
  "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC",
  "SUN MON TUE WED THU FRI SAT",
];

function isCron(value: string): boolean {
  const fields = value.trim().split(/\s+/);
  return (
    fields.length === 5 &&
    fields.every((field, i) => field.split(",").every((part) => cronRange(part, i) !== undefined)) &&
    meetsSomeDay(fields)
  );
}

/** The most days that the months have. */
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns false for days that none of the months has, such as February 30: such a job never runs. */
function meetsSomeDay([, , days, months, weekdays]: string[]): boolean {
  // A job with weekdays runs on them, too.
  if (weekdays !== "*") return true;
  const firstDay = Math.min(...days!.split(",").map((part) => cronRange(part, 2)!.from));
  return months!.split(",").some((part) => {
    const { from, to, step } = cronRange(part, 3)!;
    return DAYS_OF_MONTHS.some(
      (count, i) => count >= firstDay && i + 1 >= from && i + 1 <= to && (i + 1 - from) % step === 0,
    );
  });
}

/** Returns the numbers that a part of a cron field matches; undefined if it is invalid. */
function cronRange(part: string, field: number): { from: number; to: number; step: number } | undefined {
  const match = /^(?:(\*)|([A-Za-z\d]+)(?:-([A-Za-z\d]+))?)(?:\/(\d+))?$/.exec(part);
  if (!match) return undefined;
  const [, all, first, last, every] = match;
  const [least, most] = CRON_BOUNDS[field]!;
  const from = all ? least : cronNumber(first!, field);
  const isOpen = all !== undefined || (last === undefined && every !== undefined);
  const to = isOpen ? most : last === undefined ? from : cronNumber(last, field);
  const step = Number(every ?? 1);
  return step > 0 && from >= least && from <= to && to <= most ? { from, to, step } : undefined;
}

/** Returns the number of a cron field's digits or name; NaN for any other text. */
function cronNumber(text: string, field: number): number {
  const name = CRON_NAMES[field]!.split(" ").indexOf(text.toUpperCase());
  if (name === -1) return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return name + CRON_BOUNDS[field]![0];
}
