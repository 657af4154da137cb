import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import tls from "node:tls";
import { OperatorError } from "../domain/errors.ts";
import { type Instant, MS_PER_DAY } from "../domain/time.ts";
import { readRegularFile } from "../files/durable-files.ts";

/* The one reader of certificates and keys. Its errors never quote a file: it may contain a key. */

/** A PEM file and the setting that names it, as error messages show it. */
export type PemFile = { setting: string; path: string };

/** A certificate chain, leaf first, and the private key of the leaf, as PEM texts. */
type KeyPair = { cert: string; key: string };

/** The key pair of a TLS server with details of its leaf certificate. `subject` has its names if it has no subject. */
export type TlsIdentity = KeyPair & { subject: string; validFrom: Instant; validTo: Instant };

/** Reads the key pair of a TLS server. Throws an OperatorError as `readTlsKeyPair` does. */
export function readTlsIdentity({ certFile, keyFile }: { certFile: string; keyFile: string }): TlsIdentity {
  const pair = readTlsKeyPair(
    { setting: "server.tls_cert", path: certFile },
    { setting: "server.tls_key", path: keyFile },
  );
  const leaf = new X509Certificate(pair.cert);
  return {
    ...pair,
    subject: subjectOf(leaf),
    validFrom: Date.parse(leaf.validFrom),
    validTo: Date.parse(leaf.validTo),
  };
}

/** Authorities such as Let's Encrypt leave the subject empty, which is then undefined, whatever its type says. */
function subjectOf(leaf: X509Certificate): string {
  const subject: string | undefined = leaf.subject;
  return subject?.replaceAll("\n", ", ") ?? leaf.subjectAltName ?? "";
}

/**
 * Reads a certificate chain and its private key. Throws an OperatorError if a file cannot be read, has no certificate
 * or key, has an encrypted key, or if the key does not belong to the first certificate.
 */
export function readTlsKeyPair(certFile: PemFile, keyFile: PemFile): KeyPair {
  const cert = readPem(certFile);
  const key = readPem(keyFile);
  const leaf = parsePem(certFile, "a PEM certificate", () => firstCertificate(cert));
  const privateKey = parsePem(
    keyFile,
    "an unencrypted PEM private key",
    (): KeyObject => createPrivateKey(key),
  );
  if (!leaf.checkPrivateKey(privateKey))
    throw new OperatorError(
      `${keyFile.setting}: the key in ${keyFile.path} does not belong to the certificate in ${certFile.path}`,
      "Use the key that the certificate was issued for. The server's own certificate must come first in its file.",
    );
  parsePem(certFile, "PEM certificates that TLS can use", () => tls.createSecureContext({ cert, key }));
  return { cert, key };
}

/** Reads certificate authorities as PEM text. Throws an OperatorError if there is none in the file. */
export function readTlsAuthorities(file: PemFile): string {
  const pem = readPem(file);
  parsePem(file, "a PEM certificate", () => {
    // A secure context accepts a file without any certificate.
    firstCertificate(pem);
    tls.createSecureContext({ ca: pem });
  });
  return pem;
}

/** Returns the authorities that Bun bundles, those of the system, and `additional` ones. */
export function trustedTlsAuthorities(additional: string | null): string[] {
  const known = [...tls.getCACertificates("bundled"), ...tls.getCACertificates("system")];
  return additional === null ? known : [...known, additional];
}

/** Returns the whole days until a certificate expires; negative afterwards. */
export function daysUntilCertificateExpiry(validTo: Instant, now: Instant): number {
  return Math.floor((validTo - now) / MS_PER_DAY);
}

function firstCertificate(pem: string): X509Certificate {
  // X509Certificate also accepts DER.
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error("no certificate");
  return new X509Certificate(pem);
}

function readPem({ setting, path }: PemFile): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${setting}: ${error.message}`, error.hint);
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      code === "ENOENT" ? `${setting}: file not found: ${path}` : `${setting}: cannot read ${path} (${code})`,
      "Specify a PEM file that the user who runs Mainstay can read.",
    );
  }
}

function parsePem<T>({ setting, path }: PemFile, expected: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new OperatorError(
      `${setting}: ${path} does not contain ${expected}`,
      "A PEM file is text that begins with a line such as -----BEGIN CERTIFICATE-----.",
    );
  }
}
