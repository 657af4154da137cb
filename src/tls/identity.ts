import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { OperatorError } from "../domain/errors.ts";
import { type Instant, MS_PER_DAY } from "../domain/time.ts";

/** What a TLS server shows: a certificate chain and its private key, as PEM texts that go together. */
export type TlsIdentity = {
  cert: string;
  key: string;
  /** Of the leaf. */
  subject: string;
  validFrom: Instant;
  validTo: Instant;
};

/** Reads a certificate chain and its key. Throws an OperatorError that names the file and what is wrong with it. */
export function readTlsIdentity({ certFile, keyFile }: { certFile: string; keyFile: string }): TlsIdentity {
  const cert = readPem("server.tls_cert", certFile);
  const key = readPem("server.tls_key", keyFile);
  const leaf = parse("server.tls_cert", certFile, "PEM certificates", () => leafOf(cert));
  const privateKey = parse("server.tls_key", keyFile, "a PEM private key without a passphrase", () =>
    keyOf(key),
  );
  if (!leaf.checkPrivateKey(privateKey))
    throw new OperatorError(
      `server.tls_key: the key in ${keyFile} is not the one of the certificate in ${certFile}`,
      "Name the key that the certificate was issued for; the first certificate of the file must be the server's own.",
    );
  parse("server.tls_cert", certFile, "PEM certificates that a server can use", () =>
    createSecureContext({ cert, key }),
  );
  return {
    cert,
    key,
    subject: leaf.subject.replaceAll("\n", ", "),
    validFrom: Date.parse(leaf.validFrom),
    validTo: Date.parse(leaf.validTo),
  };
}

/** Whole days until the certificate ends; negative once it has. */
export function daysLeft(validTo: Instant, now: Instant): number {
  return Math.floor((validTo - now) / MS_PER_DAY);
}

function leafOf(pem: string): X509Certificate {
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error("no certificate");
  return new X509Certificate(pem);
}

function keyOf(pem: string): KeyObject {
  return createPrivateKey(pem);
}

function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      code === "ENOENT"
        ? `${setting}: there is no file ${file}`
        : `${setting}: ${file} cannot be read (${code})`,
      "Name a PEM file that the user who runs Mainstay may read.",
    );
  }
}

function parse<T>(setting: string, file: string, expected: string, read: () => T): T {
  try {
    return read();
  } catch {
    // the library's own words may quote the file
    throw new OperatorError(
      `${setting}: ${file} does not hold ${expected}`,
      "A PEM file is text that begins with a line such as -----BEGIN CERTIFICATE-----.",
    );
  }
}
