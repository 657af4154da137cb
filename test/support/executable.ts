import { join } from "node:path";

/** The executable under test: the one that was built, or the one that the environment names. */
export const EXECUTABLE = process.env.MAINSTAY_EXECUTABLE ?? join(import.meta.dir, "../../dist/mainstay");
