import { newProperty } from "../../api-schemas/property-request-schema.ts";
import { type Failure, StorageError } from "../../domain/errors.ts";
import { propertyNotFound } from "../../domain/property.ts";
import { demoPropertyExistsError } from "../../usecases/demo-property/create-demo-property.ts";
import { httpInvalidApiKeyFailure } from "../authenticator.ts";
import { errorReply, httpDailyLimitExceeded, httpRateLimitExceeded } from "../http-errors.ts";
import { httpBodyTooLargeFailure, httpNotJsonFailure } from "../request-body.ts";
import { tooManyLargeResponses } from "../response-memory-limiter.ts";

const REQUEST_ID = "tJgQOWERr73VMZbC";

/** Failures as the server throws them, with its default limits. Their responses are the examples. */
const FAILURES: Readonly<Record<string, unknown>> = {
  missing_fields: missingState(),
  invalid_api_key: httpInvalidApiKeyFailure(),
  property_not_found: propertyNotFound(),
  demo_property_exists: demoPropertyExistsError(),
  body_too_large: httpBodyTooLargeFailure(5_242_880),
  not_json: httpNotJsonFailure(),
  rate_limit: httpRateLimitExceeded(60, 0),
  daily_limit: httpDailyLimitExceeded(1000, 0),
  internal: new Error(),
  storage_unavailable: new StorageError(""),
  too_many_large_responses: tooManyLargeResponses(),
};

/** Returns the `example` or `examples` of the responses with this status. */
export function openApiErrorExamples(status: number) {
  const replies = Object.entries(FAILURES)
    .map(([name, failure]) => ({ name, reply: errorReply(failure, REQUEST_ID) }))
    .filter(({ reply }) => reply.status === status)
    .map(({ name, reply }) => [name, { value: JSON.parse(reply.body) as unknown }] as const);
  return replies.length === 1 ? { example: replies[0]![1].value } : { examples: Object.fromEntries(replies) };
}

function missingState(): Failure {
  try {
    newProperty.parse({ name: "Harbor View Apartments", address: "120 Harbor St" });
  } catch (failure) {
    return failure as Failure;
  }
  throw new Error("state is not required");
}
