import { expect, test } from "bun:test";
import {
  ExchangeTimeout,
  webhookFailureMessage,
  webhookStatusFailureMessage,
} from "../../src/webhooks/webhook-failure-messages.ts";

const failure = (code: string, more: object = {}) =>
  Object.assign(new Error("raw message"), { code, ...more });
const refusedBy = (address: string) => failure("ECONNREFUSED", { address, port: 443 });

test.each(
  (
    [
      [refusedBy("192.0.2.1"), "connection refused by 192.0.2.1:443"],
      [failure("ECONNREFUSED"), "DNS server refused to look up hooks.example"],
      [failure("ENOTFOUND"), "host not found: hooks.example"],
      [failure("ENODATA"), "host not found: hooks.example"],
      [failure("ECONNRESET"), "connection closed before the response was complete"],
      [failure("ERR_TLS_CERT_ALTNAME_INVALID"), "certificate is not valid for hooks.example"],
      [failure("CERT_HAS_EXPIRED"), "certificate expired"],
      [
        failure("HPE_INVALID_CONSTANT", { message: "Parse Error: Expected HTTP/" }),
        "response is not HTTP (Expected HTTP/)",
      ],
      [failure("ERR_SSL_WRONG_VERSION_NUMBER"), "TLS error (wrong version number)"],
      [failure("ESOMETHING"), "raw message"],
      [Object.assign(new Error(""), { code: "ESOMETHING" }), "ESOMETHING"],
      [new Error(""), "unknown error"],
      [new ExchangeTimeout("response", 8_000), "no response within 8 s"],
      [
        failure("ECONNREFUSED", { errors: [failure("ENETUNREACH"), refusedBy("192.0.2.2")] }),
        "connection refused by 192.0.2.2:443",
      ],
    ] as [unknown, string][]
  ).map(([error, message]) => [message, error] as const),
)("%s", (message, error) => {
  expect(webhookFailureMessage(error, "hooks.example")).toBe(message);
});

test.each([
  [199, "HTTP 199"],
  [200, null],
  [299, null],
  [300, "HTTP 300 (redirects are not followed)"],
  [399, "HTTP 399 (redirects are not followed)"],
  [400, "HTTP 400"],
  [500, "HTTP 500"],
])("status %d: %p", (status, message) => {
  expect(webhookStatusFailureMessage(status)).toBe(message);
});
