import { expect, test } from "bun:test";
import { ExchangeTimeout, failureMessage, statusMessage } from "../../src/webhooks/failure-messages.ts";

const failure = (code: string, more: object = {}) => Object.assign(new Error("raw words"), { code, ...more });
const refusedBy = (address: string) => failure("ECONNREFUSED", { address, port: 443 });

test.each([
  [refusedBy("192.0.2.1"), "connection refused by 192.0.2.1:443"],
  [failure("ECONNREFUSED"), "the name server refused to look up hooks.example"],
  [failure("ENOTFOUND"), "host hooks.example not found"],
  [failure("ENODATA"), "host hooks.example not found"],
  [failure("ECONNRESET"), "the connection was closed before a whole answer came"],
  [failure("ERR_TLS_CERT_ALTNAME_INVALID"), "certificate is not for hooks.example"],
  [failure("CERT_HAS_EXPIRED"), "certificate expired"],
  [
    failure("HPE_INVALID_CONSTANT", { message: "Parse Error: Expected HTTP/" }),
    "the answer is not HTTP (Expected HTTP/)",
  ],
  [failure("ERR_SSL_WRONG_VERSION_NUMBER"), "TLS failed (wrong version number)"],
  [failure("ESOMETHING"), "raw words"],
  [Object.assign(new Error(""), { code: "ESOMETHING" }), "ESOMETHING"],
  [new Error(""), "unknown error"],
  [new ExchangeTimeout("for an answer", 8_000), "no answer within 8 s"],
  [
    failure("ECONNREFUSED", { errors: [failure("ENETUNREACH"), refusedBy("192.0.2.2")] }),
    "connection refused by 192.0.2.2:443",
  ],
])("%p is told as: %s", (error, words) => {
  expect(failureMessage(error, "hooks.example")).toBe(words);
});

test.each([
  [199, "answered 199"],
  [200, null],
  [299, null],
  [300, "redirected with 300, redirects are not followed"],
  [399, "redirected with 399, redirects are not followed"],
  [400, "answered 400"],
  [500, "answered 500"],
])("an answer of %d fails with: %p", (status, words) => {
  expect(statusMessage(status)).toBe(words);
});
