/** The losses of each simulated year, in cents: with the forecast as it is, and with its error. */
export type SimulatedYearLosses = { plain: Float64Array; withError: Float64Array };
