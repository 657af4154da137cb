import { WEBHOOK_DESCRIPTIONS, webhookPayloadSchema } from "../../api-schemas/webhook-payload-schema.ts";
import { WEBHOOK_EVENTS } from "../../domain/partner.ts";
import {
  type OpenApiSchemaRegistry,
  openApiExampleOf,
  openApiSchemaOf,
} from "./http-openapi-schema-registry.ts";

const VERIFICATION = `Compute the HMAC-SHA256 of the exact bytes of the body, using the full text of the webhook secret as the key,
and compare it in constant time with \`X-Service-Signature\` (\`sha256=\` followed by the digest in hex). Return 401 if they
differ; otherwise return 2xx within 8 seconds. Process each \`X-Service-Delivery\` ID once, and ignore unknown events. An
endpoint that fails 20 times in a row over at least ten minutes is paused and probed: no delivery is lost, the first success
resumes them in order, and \`GET /v1/events\` has everything meanwhile. See [the guide](/docs/guide) for example endpoints
in TypeScript and Python.`;

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
});
const HEADERS = [
  header("X-Service-Event", "The event's name", "component.critical"),
  header("X-Service-Delivery", "The delivery's ID, the same for every attempt", "WH_1795230000000_k3v9x"),
  header(
    "X-Service-Signature",
    "`sha256=` followed by the HMAC-SHA256 of the body in hex, keyed with the webhook secret",
    "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
  ),
  header(
    "X-Webhook-Signature",
    "The same digest without the prefix",
    "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
  ),
];

/** Describes every webhook in the format of OpenAPI 3.1, which 3.0 lacks. */
export function openApiWebhooks(names: OpenApiSchemaRegistry): Record<string, unknown> {
  return Object.fromEntries(
    WEBHOOK_EVENTS.map((event) => {
      const form = webhookPayloadSchema(event);
      const content = {
        schema: openApiSchemaOf(form, names, form.name),
        example: openApiExampleOf(form),
      };
      const post = {
        operationId: `on${form.name}`,
        summary: WEBHOOK_DESCRIPTIONS[event],
        description: VERIFICATION,
        parameters: HEADERS.map((header) =>
          header.name === "X-Service-Event" ? { ...header, example: event } : header,
        ),
        requestBody: { required: true, content: { "application/json": content } },
        responses: {
          "2XX": { description: "Delivered" },
          401: { description: "The signature is invalid" },
          default: { description: "Retried after 5 seconds, then after another 30 seconds" },
        },
      };
      return [event, { post }];
    }),
  );
}
