import http from "node:http";
import https from "node:https";
import { connect, isIP, type LookupFunction } from "node:net";
import tls from "node:tls";
import type { Instant } from "../domain/time.ts";

/** Where the system is, and how long each step may take. */
export type Endpoint = {
  url: URL;
  isSecure: boolean;
  /** Without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  /** PEM certificates trusted beside the bundled and the system's. */
  authorities: string | undefined;
  timeoutMs: number;
};

/** Connects and hangs up. Rejects with the network's error, or when the time is up. */
export function connectOnce({ port, timeoutMs }: Endpoint, address: string): Promise<void> {
  return within(timeoutMs, "no connection", (done, failed) => {
    const socket = connect({ host: address, port }, () => done());
    socket.on("error", failed);
    return () => socket.destroy();
  });
}

export type Handshake = { protocol: string; subject: string; validTo: Instant };

/** Makes a TLS connection, with the certificate checked, and hangs up. */
export function shakeHands(endpoint: Endpoint, address: string): Promise<Handshake> {
  const { hostname, port, timeoutMs } = endpoint;
  return within(timeoutMs, "no TLS handshake", (done, failed) => {
    const socket = tls.connect({
      host: address,
      port,
      ca: trusted(endpoint),
      rejectUnauthorized: true, // whatever the environment asks for
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

/** Asks for the address once, with the Authorization header given, and returns the status. No redirect is followed. */
export function askOnce(
  endpoint: Endpoint,
  address: string,
  authorization: string | undefined,
): Promise<number> {
  const { url, isSecure, hostname, port, timeoutMs } = endpoint;
  return within(timeoutMs, "no answer", (done, failed) => {
    const request = (isSecure ? https : http).request({
      hostname,
      port,
      path: `${url.pathname}${url.search}`,
      method: "GET",
      agent: false,
      lookup: always(address),
      headers: {
        accept: "application/json",
        "user-agent": "Mainstay",
        ...(authorization && { authorization }),
      },
      ...(isSecure && { ca: trusted(endpoint), rejectUnauthorized: true }),
    });
    request.on("response", (response) => done(response.statusCode ?? 0));
    request.on("error", failed);
    request.end();
    return () => request.destroy();
  });
}

/** Runs until it is done, has failed, or the time is up, and cleans up in each case. */
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

function trusted({ authorities }: Endpoint): string[] {
  const known = [...tls.getCACertificates("bundled"), ...tls.getCACertificates("system")];
  return authorities === undefined ? known : [...known, authorities];
}

/** What is asked is what was connected to before, whatever the name means by now. */
function always(address: string): LookupFunction {
  const family = isIP(address);
  return (_hostname, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family);
}
