import { type } from "arktype";

/*
 * The shapes that are answered with. They make the API document and are what every response of the tests is held
 * against; nothing is checked by them at run time.
 */

export const day = type(/^\d{4}-\d{2}-\d{2}$/);
export const instant = type(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
/** US dollars with at most two decimals. */
export const usd = type("number");
export const whole = type("number.integer >= 0");
export const text = type("string");
export const tier = type.enumerated("CRITICAL", "WARNING", "GOOD");
export const confidence = type.enumerated("HIGH", "MEDIUM", "LOW");
export const rating = type.enumerated("GOOD", "FAIR", "FAIL");
export const riskScore = type("0 <= number <= 0.99");
export const probability = type("0 <= number <= 1");

const id = (prefix: string) => type(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
export const ids = {
  property: id("P"),
  unit: id("U"),
  appliance: id("A"),
  component: id("C"),
  serviceEvent: id("SE"),
  claim: id("CLM"),
  sensorEvent: id("PE"),
  photo: id("PH"),
  partner: id("PARTNER"),
};

/** What every list carries beside its array. */
export const envelopeFields = {
  total: whole,
  limit: whole,
  offset: whole,
  page: whole,
  pages: whole,
  partner: text,
} as const;

export const errorReply = type({
  error: text,
  code: text,
  request_id: text,
  "details?": type({ field: text, message: text }).array(),
});

/** The partial-success body; the created records stand under `events` whatever they are. */
export const bulkFields = {
  created: whole,
  errors: whole,
  error_details: type({ index: whole, error: text }).array(),
} as const;
