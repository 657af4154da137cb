import { plugin } from "bun";

/*
 * Preloaded by bunfig.toml: gives all properties of a run one seed, so that the run can be repeated. fast-check takes
 * 100 ms to load, which only the files that import it should pay.
 */

/** The environment variable with the seed. Without it, fast-check chooses one for each property. */
export const PROPERTY_SEED = "PROPERTY_SEED";

const seed = process.env[PROPERTY_SEED];
if (seed !== undefined)
  plugin({
    name: "fast-check with the seed of the run",
    setup(build) {
      build.module("fast-check", async () => {
        const fastCheck = await import(Bun.resolveSync("fast-check", import.meta.dir));
        fastCheck.configureGlobal({ seed: Number(seed) });
        return { exports: fastCheck, loader: "object" };
      });
    },
  });
