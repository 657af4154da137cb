import { MIN_SIZE } from "../../domain/costs/appliance-size.ts";
import { isPostalCode } from "../../domain/places/place.ts";
import {
  MAX_GROSS_AREA_SQFT,
  MAX_STORIES,
  MAX_UNITS,
  MIN_GROSS_AREA_SQFT,
  UNIT_LABELS,
} from "../../domain/property.ts";
import { CONDITIONS, EVENT_TYPES } from "../../domain/service-event.ts";
import { instantFromText, parseDay } from "../../domain/time.ts";
import { defineSchemaConstraint } from "./api-schema-field-constraint.ts";
import {
  isApiMultilineText,
  isApiOneLine,
  isApiRequiredTextLine,
  isApiTextLine,
  LONG,
  SHORT,
} from "./schema-text-bounds.ts";

/*
 * The constraints on request fields. The text in `describe` is the error message that a caller gets: arktype's own
 * messages would repeat the caller's input.
 */

const DOLLARS = 1_000_000_000_000;

/** Empty text is stored as absent. */
export const line = defineSchemaConstraint((type) =>
  type("string").narrow(isApiTextLine).describe(`one line of text of at most ${SHORT} characters`),
);

export const requiredLine = defineSchemaConstraint((type) =>
  type("string").narrow(isApiRequiredTextLine).describe(`one line of text of 1 to ${SHORT} characters`),
);

export const longText = defineSchemaConstraint((type) =>
  type("string")
    .narrow(isApiMultilineText)
    .describe(`text of at most ${LONG} characters without control characters`),
);

/** Any text that could be an ID. An ID that does not exist is a 404, not an invalid request. */
export const idText = defineSchemaConstraint((type) =>
  type("string <= 64").narrow(isApiOneLine).describe("an ID"),
);

export const day = defineSchemaConstraint((type) =>
  type(/^\d{4}-\d{2}-\d{2}$/)
    .narrow((value) => parseDay(value) !== undefined)
    .describe("a valid date in the format YYYY-MM-DD"),
);

export const instant = defineSchemaConstraint((type) =>
  type("string <= 64")
    .narrow((value) => instantFromText(value) !== undefined)
    .describe("an ISO 8601 timestamp, such as 2026-01-31T15:04:05Z"),
);

/** Bounds that do not depend on the date. The upper bound, next year, is checked where the clock is available. */
export const year = defineSchemaConstraint((type) =>
  type("1800 <= number.integer <= 3000").describe("a whole number from 1800 to next year"),
);

export const lifespan = defineSchemaConstraint((type) =>
  type("1 <= number.integer <= 200").describe("a whole number from 1 to 200"),
);

export const unknownPast = defineSchemaConstraint((type) => type.enumerated("unknown").describe("unknown"));

export const usd = defineSchemaConstraint((type) =>
  type(`0 <= number <= ${DOLLARS}`).describe(`an amount in USD from 0 to ${DOLLARS}`),
);

/** The cost of a replacement that a partner states. */
export const cost = defineSchemaConstraint((type) =>
  type("1 <= number <= 100000000").describe("an amount in USD from 1 to 100000000"),
);

export const unitCount = defineSchemaConstraint((type) =>
  type(`0 <= number.integer <= ${MAX_UNITS}`).describe(`a whole number from 0 to ${MAX_UNITS}`),
);

/** In the unit of the type, of which none has appliances of this size. */
export const size = defineSchemaConstraint((type) =>
  type(`${MIN_SIZE} <= number <= 50000000`).describe(`a number from ${MIN_SIZE} to 50000000`),
);

export const grossArea = defineSchemaConstraint((type) =>
  type(`${MIN_GROSS_AREA_SQFT} <= number <= ${MAX_GROSS_AREA_SQFT}`).describe(
    `a number from ${MIN_GROSS_AREA_SQFT} to ${MAX_GROSS_AREA_SQFT}`,
  ),
);

export const stories = defineSchemaConstraint((type) =>
  type(`1 <= number.integer <= ${MAX_STORIES}`).describe(`a whole number from 1 to ${MAX_STORIES}`),
);

export const unitLabelConstraint = defineSchemaConstraint((type) =>
  type.enumerated(...UNIT_LABELS).describe(`one of ${UNIT_LABELS.join(", ")}`),
);

export const positiveUsd = defineSchemaConstraint((type) =>
  type(`0.01 <= number <= ${DOLLARS}`).describe(`an amount in USD from 0.01 to ${DOLLARS}`),
);

export const usageIntensity = defineSchemaConstraint((type) =>
  type("0.5 <= number <= 2").describe("a number from 0.5 to 2.0"),
);

export const state = defineSchemaConstraint((type) =>
  type("string <= 32").describe("a US state abbreviation, such as NY, or a subdivision of another country"),
);

export const country = defineSchemaConstraint((type) =>
  type("string <= 8").describe("a country's two-letter code (ISO 3166-1), such as CA"),
);

/** The digits of a US ZIP code are checked where the country is known. */
export const zip = defineSchemaConstraint((type) =>
  type("string <= 32")
    .narrow((value) => value.trim() === "" || isPostalCode(value))
    .describe("a ZIP code with 5 or 5+4 digits, or the postal code of another country"),
);

export const brandTier = defineSchemaConstraint((type) =>
  type.enumerated("premium", "standard", "budget").describe("premium, standard or budget"),
);

export const condition = defineSchemaConstraint((type) =>
  type.enumerated(...CONDITIONS).describe("good, fair or poor"),
);

/** The bounds keep arithmetic on scores exact enough. */
export const conditionScale = defineSchemaConstraint((type) =>
  type("(-1000000 <= number <= 1000000)[] == 2")
    .narrow(([worst, best]) => worst !== best)
    .describe("two different numbers, the worst and the best score, such as [1, 5]"),
);

export const flag = defineSchemaConstraint((type) => type("boolean").describe("true or false"));

export const inspectionTypes = defineSchemaConstraint((type) =>
  type("(string <= 64)[] <= 32").describe("a list of at most 32 inspection types"),
);

export const claimStatus = defineSchemaConstraint((type) =>
  type.enumerated("open", "closed", "denied").describe("open, closed or denied"),
);

export const severity = defineSchemaConstraint((type) =>
  type.enumerated("low", "medium", "high", "critical").describe("low, medium, high or critical"),
);

export const eventType = defineSchemaConstraint((type) =>
  type.enumerated(...EVENT_TYPES).describe(`one of ${EVENT_TYPES.join(", ")}`),
);

/** A finite number that a double represents with enough precision for a sensor reading. */
export const reading = defineSchemaConstraint((type) =>
  type("number").atLeast(-1e15).atMost(1e15).describe("a number from -1e15 to 1e15"),
);
