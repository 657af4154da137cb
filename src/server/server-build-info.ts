import { version } from "../../package.json";

declare const MAINSTAY_VERSION: string | undefined;
declare const MAINSTAY_COMMIT: string | undefined;
declare const MAINSTAY_TARGET: string | undefined;

/** The version and commit of this executable, set by `build.ts`; "dev" when run from its sources. */
export const BUILD = {
  version: typeof MAINSTAY_VERSION === "string" ? MAINSTAY_VERSION : version,
  commit: typeof MAINSTAY_COMMIT === "string" ? MAINSTAY_COMMIT : "dev",
  target: typeof MAINSTAY_TARGET === "string" ? MAINSTAY_TARGET : `${process.platform}-${process.arch}`,
} as const;

/** The program's source file when run from its sources; undefined in an executable, which is the program itself. */
export const SOURCE_ENTRY_FILE =
  typeof MAINSTAY_COMMIT === "string" ? undefined : `${import.meta.dir}/../main.ts`;
