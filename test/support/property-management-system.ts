import { readFileSync } from "node:fs";
import { FIXTURE_TLS } from "./certificates.ts";
import { type Behavior, type Received, startReceiver } from "./receiver.ts";

const PASSWORD = "tr0ub4dor-and-3";
/** The settings of a login that the system accepts. */
export const LOGIN = { username: "mainstay", password: PASSWORD };
export const BASIC = `Basic ${Buffer.from(`mainstay:${PASSWORD}`).toString("base64")}`;

/** Starts a property management system with TLS, which answers 200 to that Authorization and 401 to any other. */
export function startSystem(authorization = BASIC, cert = FIXTURE_TLS.cert, behave = guarded(authorization)) {
  const tls = { cert: readFileSync(cert, "utf8"), key: readFileSync(FIXTURE_TLS.key, "utf8") };
  return startReceiver({ behave, tls, knowsSecrets: true });
}

export const startPlainSystem = () => startReceiver({ behave: guarded(BASIC), knowsSecrets: true });

function guarded(authorization: string) {
  return ({ headers }: Received): Behavior => ({
    status: headers.authorization === authorization ? 200 : 401,
  });
}
