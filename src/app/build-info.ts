import { version } from "../../package.json";

declare const MAINSTAY_VERSION: string | undefined;
declare const MAINSTAY_COMMIT: string | undefined;
declare const MAINSTAY_TARGET: string | undefined;

/** What this executable was built from, stamped in by `build.ts`; run from its sources, it is "dev". */
export const BUILD = {
  version: typeof MAINSTAY_VERSION === "string" ? MAINSTAY_VERSION : version,
  commit: typeof MAINSTAY_COMMIT === "string" ? MAINSTAY_COMMIT : "dev",
  target: typeof MAINSTAY_TARGET === "string" ? MAINSTAY_TARGET : `${process.platform}-${process.arch}`,
} as const;

/** Run from its sources, the file of the program: what embeds a server is another. An executable is the program itself. */
export const PROGRAM_FILE = typeof MAINSTAY_COMMIT === "string" ? undefined : `${import.meta.dir}/../main.ts`;
