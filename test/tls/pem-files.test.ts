import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTlsAuthorities, readTlsIdentity, readTlsKeyPair } from "../../src/tls/pem-files.ts";
import { makeCertificate } from "../support/certificates.ts";

const FIXTURES = join(import.meta.dir, "../fixtures/tls");
const authority = join(FIXTURES, "authority.crt");
const cert = join(FIXTURES, "receiver.crt");
const key = join(FIXTURES, "receiver.key");

const folder = mkdtempSync(join(tmpdir(), "mainstay-pem-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("readTlsAuthorities", () => {
  test("returns the text of the file", async () => {
    expect(readTlsAuthorities({ setting: "ca", path: authority })).toBe(await Bun.file(authority).text());
  });

  test.each([
    ["empty", ""],
    ["of other text", "garbage"],
    ["with a broken certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
  ])("rejects a file that is %s, without quoting it", (_what, content) => {
    const path = join(folder, "ca.pem");
    writeFileSync(path, content);
    expect(() => readTlsAuthorities({ setting: "ca", path })).toThrow(
      `ca: ${path} does not contain a PEM certificate`,
    );
  });

  test("rejects a key and a missing file", () => {
    expect(() => readTlsAuthorities({ setting: "ca", path: key })).toThrow(
      "does not contain a PEM certificate",
    );
    expect(() => readTlsAuthorities({ setting: "ca", path: "/nowhere/ca.pem" })).toThrow(
      "ca: file not found: /nowhere/ca.pem",
    );
  });
});

describe("readKeyPair", () => {
  const read = (certPath: string, keyPath: string) =>
    readTlsKeyPair({ setting: "cert", path: certPath }, { setting: "key", path: keyPath });

  test("returns the texts of both files", async () => {
    expect(read(cert, key)).toEqual({ cert: await Bun.file(cert).text(), key: await Bun.file(key).text() });
  });

  test("rejects a key that does not belong to the certificate", () => {
    expect(() => read(authority, key)).toThrow(
      `key: the key in ${key} does not belong to the certificate in ${authority}`,
    );
  });

  test("rejects a certificate in place of the key", () => {
    expect(() => read(cert, cert)).toThrow(`key: ${cert} does not contain an unencrypted PEM private key`);
  });
});

// The profiles of Let's Encrypt without a common name make such certificates.
test("a certificate with an empty subject has its names instead", async () => {
  const { cert: certFile, key: keyFile } = await makeCertificate(folder, "");
  expect(readTlsIdentity({ certFile, keyFile }).subject).toBe("IP Address:127.0.0.1");
});
