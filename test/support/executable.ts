import { join } from "node:path";

/** The executable under test: the one that was built, or the one that the environment names. */
export const EXECUTABLE = process.env.MAINSTAY_EXECUTABLE ?? join(import.meta.dir, "../../dist/mainstay");

/** The environment in which it runs as it is delivered. */
export const DELIVERED_ENVIRONMENT = { PATH: "/usr/bin:/bin" };

/**
 * Settings of the engine: it compiles a function, and compiles it again optimized, only after ten times the usual number of
 * calls. Tests, and the processes that they start, end before most of what it compiles has paid off, which took a quarter
 * of the processor time of these processes.
 */
export const LATER_COMPILATION = {
  BUN_JSC_thresholdForJITAfterWarmUp: "5000",
  BUN_JSC_thresholdForJITSoon: "1000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "10000",
  BUN_JSC_thresholdForOptimizeSoon: "10000",
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "600000",
  BUN_JSC_thresholdForFTLOptimizeSoon: "20000",
};

/** The environment of its processes, but for those of `mainstay smoke`. */
export const ENVIRONMENT = { ...DELIVERED_ENVIRONMENT, ...LATER_COMPILATION };

/**
 * The environment of a command, which ends within seconds: without the engine's slowest compiler, whose threads took a
 * sixth of the processor time of a calibration and a tenth of a snapshot's. A server of a long test is faster with it.
 */
export const COMMAND_ENVIRONMENT = { ...ENVIRONMENT, BUN_JSC_useFTLJIT: "0" };
