import http from "node:http";
import https from "node:https";
import { connect, isIP, type LookupFunction } from "node:net";
import tls from "node:tls";
import type { Instant } from "../domain/time.ts";
import { trustedTlsAuthorities } from "../tls/pem-files.ts";

export type PmsEndpoint = {
  url: URL;
  isSecure: boolean;
  /** Without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  /** PEM certificates to trust in addition to those of Bun and the system. */
  authorities: string | null;
  /** For each step. */
  timeoutMs: number;
};

/** Opens and closes a TCP connection. Rejects with the network error, or after the timeout. */
export function probePmsTcpConnection({ port, timeoutMs }: PmsEndpoint, address: string): Promise<void> {
  return within(timeoutMs, "no connection", (done, failed) => {
    const socket = connect({ host: address, port }, () => done());
    socket.on("error", failed);
    return () => socket.destroy();
  });
}

type TlsHandshake = { protocol: string; subject: string; validTo: Instant };

/** Opens a TLS connection, verifies the certificate, and closes it. Rejects as `probePmsTcpConnection` does. */
export function probePmsTlsHandshake(endpoint: PmsEndpoint, address: string): Promise<TlsHandshake> {
  const { hostname, port, timeoutMs } = endpoint;
  return within(timeoutMs, "no TLS handshake", (done, failed) => {
    const socket = tls.connect({
      host: address,
      port,
      ca: trustedTlsAuthorities(endpoint.authorities),
      // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED would otherwise decide.
      rejectUnauthorized: true,
      ...(isIP(hostname) === 0 && { servername: hostname }),
    });
    socket.on("secureConnect", () => {
      const certificate = socket.getPeerCertificate();
      done({
        protocol: socket.getProtocol() ?? "TLS",
        subject: String(certificate.subject.CN ?? certificate.subjectaltname ?? "an unnamed subject"),
        validTo: Date.parse(certificate.valid_to),
      });
    });
    socket.on("error", failed);
    return () => socket.destroy();
  });
}

/** Sends one GET request and returns the status of the response. Does not follow redirects. */
export function probePmsHttpStatus(
  endpoint: PmsEndpoint,
  address: string,
  authorization: string | undefined,
): Promise<number> {
  const { url, isSecure, hostname, port, timeoutMs } = endpoint;
  return within(timeoutMs, "no response", (done, failed) => {
    const request = (isSecure ? https : http).request({
      hostname,
      port,
      path: `${url.pathname}${url.search}`,
      method: "GET",
      agent: false,
      lookup: lookupReturning(address),
      headers: {
        accept: "application/json",
        "user-agent": "Mainstay",
        ...(authorization && { authorization }),
      },
      ...(isSecure && { ca: trustedTlsAuthorities(endpoint.authorities), rejectUnauthorized: true }),
    });
    request.on("response", (response) => done(response.statusCode ?? 0));
    request.on("error", failed);
    request.end();
    return () => request.destroy();
  });
}

/** Runs `start` until it succeeds, fails or times out, then calls the cleanup function that it returned. */
function within<T>(
  timeoutMs: number,
  missing: string,
  start: (done: (value: T) => void, failed: (error: Error) => void) => () => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`${missing} within ${timeoutMs / 1000} s`)), timeoutMs);
  const cleanUp = start(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    cleanUp();
  });
}

/** Pins the request to the address of the earlier steps: the name may resolve to another one by now. */
function lookupReturning(address: string): LookupFunction {
  const family = isIP(address);
  return (_hostname, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family);
}
