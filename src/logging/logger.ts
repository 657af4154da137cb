import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from "pino";
import type { Config } from "../config/settings.ts";
import { CREDENTIAL_PATTERN, REDACTED } from "../secrets/credentials.ts";
import type { LoggedError } from "./logged-error.ts";

export type { Logger } from "pino";

type LoggerOptions = Pick<Config["log"], "level" | "format"> & {
  /** Receives complete lines. */
  destination: DestinationStream;
  /** Called for each line of level `error` or `fatal`. */
  onError?: (error: LoggedError) => void;
};

/**
 * Creates a logger of JSON lines such as `{"level":"info","time":"2026-01-31T03:00:00.000Z","msg":…}`, or of lines for
 * people. Replaces fields whose name suggests a secret, and credentials in any text, by "[redacted]".
 */
export function createLogger({ level, format, destination: lines, onError }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redactFields(fields) },
      serializers: { err: (error: Error) => redactFields(stdSerializers.err(withoutQueryValues(error))) },
      hooks: {
        streamWrite(line) {
          const shown = line.replace(CREDENTIAL_PATTERN, REDACTED);
          if (onError && ERROR_LINE.test(shown)) onError(loggedError(shown));
          return shown;
        },
      },
    },
    format === "pretty" ? prettyLines(lines) : lines,
  );
}

/** Drops the parameters that Drizzle adds to its errors: they are data of partners. The cause explains the error. */
function withoutQueryValues(error: Error): Error {
  const { query, params, cause } = error as Error & { query?: unknown; params?: unknown };
  if (typeof query !== "string" || params === undefined) return error;
  return cause instanceof Error ? cause : new Error(`a query failed: ${query}`);
}

/** Uses the formatter of pino-pretty without its transport, a worker thread that a compiled executable cannot load. */
function prettyLines(lines: DestinationStream): DestinationStream {
  // Loaded on demand: nearly every log is JSON, and a small command has no log.
  const { prettyFactory } = require("pino-pretty") as typeof import("pino-pretty");
  const format = prettyFactory({ colorize: false, translateTime: "UTC:yyyy-mm-dd HH:MM:ss.l'Z'" });
  return { write: (line) => lines.write(format(line)) };
}

const ERROR_LINE = /^\{"level":"(error|fatal)"/;
/** The maximum length of a text in the list of errors. */
const MAX_TEXT = 1000;
const MAX_ERRORS = 100;

function loggedError(line: string): LoggedError {
  const { time, msg, err, reason, request_id } = JSON.parse(line);
  const why: unknown = err?.message ?? reason;
  return {
    at: Date.parse(time),
    message: String(msg ?? "").slice(0, MAX_TEXT),
    reason: typeof why === "string" ? why.slice(0, MAX_TEXT) : null,
    requestId: typeof request_id === "string" ? request_id : null,
  };
}

/** Keeps the latest errors of the log in memory for the console. */
export function recentLogErrors(): {
  take: (error: LoggedError) => void;
  list: () => readonly LoggedError[];
} {
  const kept: LoggedError[] = [];
  return {
    take(error) {
      kept.unshift(error);
      kept.length = Math.min(kept.length, MAX_ERRORS);
    },
    list: () => [...kept],
  };
}

const SECRET_NAME = /(secret|password|passphrase|token|authorization|cookie|(api|admin|master)[-_]?key)$/i;
/** The depth below which Pino prints nothing. */
const MAX_DEPTH = 5;

// Pino's own redaction by wildcard paths takes 70 µs per line, this function 1 µs.
function redactFields<Fields extends object>(fields: Fields, depth = 0): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    const shown = redactField(name, value, depth);
    if (shown === value) continue;
    copy ??= (Array.isArray(fields) ? [...fields] : { ...fields }) as Record<string, unknown>;
    copy[name] = shown;
  }
  return (copy as Fields | undefined) ?? fields;
}

function redactField(name: string, value: unknown, depth: number): unknown {
  if (value === null || (typeof value !== "object" && typeof value !== "string")) return value;
  if (SECRET_NAME.test(name)) return REDACTED;
  return typeof value === "object" && isPlain(value) && depth < MAX_DEPTH
    ? redactFields(value, depth + 1)
    : value;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
