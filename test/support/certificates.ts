import { join } from "node:path";

const FIXTURES = join(import.meta.dir, "../fixtures/tls");

/** Files of `test/fixtures/tls`: certificates for 127.0.0.1 and receiver.test, with their own authority. */
export const FIXTURE_TLS = {
  authority: join(FIXTURES, "authority.crt"),
  cert: join(FIXTURES, "receiver.crt"),
  expired: join(FIXTURES, "expired.crt"),
  key: join(FIXTURES, "receiver.key"),
};

export type CertificateFiles = { cert: string; key: string };

/** Creates a self-signed certificate for 127.0.0.1 with `name` as its common name. */
export async function makeCertificate(folder: string, name: string, days = 30): Promise<CertificateFiles> {
  const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const child = Bun.spawn(
    [
      ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1", "-days", String(days)],
      ...["-keyout", files.key, "-out", files.cert],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`openssl exited with ${code}: ${stderr}`);
  return files;
}
