import { WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { exampleOf, type SchemaRegistry, schemaOf } from "../../wire/schema/to-openapi.ts";
import { WEBHOOK_WORDS, webhookBody } from "../../wire/webhooks.ts";

const VERIFY = `Compute HMAC-SHA256 over the exact bytes of the body, keyed with the whole text of the webhook secret, and
compare it in constant time with \`X-Service-Signature\` (\`sha256=\` and the digest in hex). Answer 401 when it differs,
and 2xx within 8 seconds when it holds. Act on an id of \`X-Service-Delivery\` once, and ignore events that you do not
know. [The guide](/docs/guide) has receivers in TypeScript, Python and curl.`;

const header = (name: string, description: string, example: string) => ({
  ...{ name, in: "header", required: true, description, schema: { type: "string" }, example },
});
const HEADERS = [
  header("X-Service-Event", "The event's name", "component.critical"),
  header("X-Service-Delivery", "The delivery's id, the same at each attempt", "WH_1795230000000_k3v9x"),
  header(
    "X-Service-Signature",
    "`sha256=` and the hex HMAC-SHA256 of the body, keyed with the webhook secret",
    "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
  ),
  header(
    "X-Webhook-Signature",
    "The same digest bare",
    "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
  ),
];

/** What partners' receivers are sent, in the form that OpenAPI 3.1 has for it. */
export function webhooksDocument(names: SchemaRegistry): Record<string, unknown> {
  return Object.fromEntries(
    WEBHOOK_EVENTS.map((event) => {
      const form = webhookBody(event);
      const content = { schema: schemaOf(form, names, form.name), example: exampleOf(form) };
      const post = {
        operationId: `on${form.name}`,
        summary: WEBHOOK_WORDS[event],
        description: VERIFY,
        parameters: HEADERS.map((one) => (one.name === "X-Service-Event" ? { ...one, example: event } : one)),
        requestBody: { required: true, content: { "application/json": content } },
        responses: {
          "2XX": { description: "Taken" },
          401: { description: "The signature does not hold" },
          default: { description: "Sent again after 5 seconds, and after 30 more" },
        },
      };
      return [event, { post }];
    }),
  );
}
