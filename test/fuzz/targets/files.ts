import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateLogoOfBrandJson } from "../../../src/api-schemas/partner-brand-schema.ts";
import { type ArchiveMember, writeBackupArchive } from "../../../src/backup/backup-archive.ts";
import {
  CHECKSUMS,
  DATABASE,
  KEY,
  MANIFEST,
  parseBackupManifest,
} from "../../../src/backup/backup-manifest.ts";
import { PassphraseEncryption } from "../../../src/backup/backup-passphrase-encryption.ts";
import { appendBackupChecksum } from "../../../src/backup/backup-trailing-checksum.ts";
import { inspectBackup } from "../../../src/backup/inspect-backup.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { invalid } from "../../../src/domain/errors.ts";
import { brandLogoByRule } from "../../../src/domain/rules/brand-logo-rule.ts";
import { FILES } from "../../../src/knowledge/knowledge-files.ts";
import { readKnowledge } from "../../../src/knowledge/read-knowledge.ts";
import { parseMasterKey } from "../../../src/secrets/master-key.ts";
import { readTlsAuthorities, readTlsIdentity } from "../../../src/tls/pem-files.ts";
import { readWorkbook } from "../../../src/xlsx/read-workbook.ts";
import { FIXTURE_TLS } from "../../support/certificates.ts";
import { pngImage } from "../../support/png.ts";
import { sheetXml, workbookFiles, zipArchive } from "../../support/zip-archive.ts";
import { Scratch } from "../scratch.ts";
import type { Target } from "../target.ts";

const scratch = new Scratch();

const EXAMPLE = readFileSync(join(import.meta.dir, "../../../config.example.toml"));
const configuration: Target = {
  name: "configuration",
  seeds: [
    Buffer.from('[server]\nport = 9000\ntrusted_proxies = ["10.0.0.0/8"]\n[log]\nlevel = "warn"\n'),
    Buffer.from('server.host = "::"\nbackup = { schedule = "30 4 * * *", keep = 3 }\n'),
    EXAMPLE.subarray(0, 4_000),
  ],
  words: [
    "[server]",
    "[[server]]",
    '"""',
    "'''",
    "1979-05-27",
    "0x10",
    "inf",
    "true",
    "\n",
    "#",
    "\ufeff",
    "[limits]",
  ],
  parse(input) {
    const file = scratch.file("mainstay.toml", input);
    loadConfig({ file, env: {}, cwd: scratch.folder });
  },
};

/** A key derivation of no cost: the format is tested, not the passphrase. */
const freeLock = () =>
  new PassphraseEncryption("fuzz", async (passphrase, salt) =>
    createHash("sha256").update(passphrase).update(salt).digest(),
  );

const manifestText = (databaseBytes: number, keyIncluded: boolean) =>
  JSON.stringify({
    format: "mainstay-backup",
    format_version: 1,
    product_version: "0.1.0",
    schema_version: 18,
    created_at: "2026-01-01T00:00:00.000Z",
    key_included: keyIncluded,
    database_bytes: databaseBytes,
    uploads: 1,
    uploads_bytes: 5,
    uploads_missing: 0,
    counts: { partners: 1 },
  });

async function backupBytes(lock: PassphraseEncryption | undefined): Promise<Buffer> {
  const member = (name: string, text: string): ArchiveMember => ({
    name,
    bytes: Buffer.byteLength(text),
    content: () => [Buffer.from(text)],
  });
  const path = join(scratch.folder, `seed-${lock ? "locked" : "plain"}`);
  const members = [
    member(MANIFEST, manifestText(8, true)),
    member(DATABASE, "database"),
    member(KEY, "key"),
    member("uploads/a.jpg", "photo"),
  ];
  await writeBackupArchive(path, members, { lock, mtime: new Date(0) });
  return readFileSync(path);
}

const plainBackup = await backupBytes(undefined);
const lockedBackup = await backupBytes(freeLock());

const backup: Target = {
  name: "backup",
  seeds: [plainBackup, lockedBackup],
  words: ["age-encryption.org/v1\n", "-> scrypt ", " 18\n", " 99\n", "---", "\x28\xb5\x2f\xfd"],
  async parse(input) {
    const { format_version } = await inspectBackup(scratch.file("mainstay.backup", input), freeLock());
    return format_version;
  },
};

/** The archive with a checksum that is right, as an attacker would write it. */
const forgedBackup: Target = {
  name: "forged-backup",
  seeds: [plainBackup.subarray(0, plainBackup.length - 40)],
  words: ["\x28\xb5\x2f\xfd", "ustar", "../", MANIFEST, CHECKSUMS],
  async parse(input) {
    const file = scratch.file("forged.backup", input);
    if (input.length > 0) await appendBackupChecksum(file);
    const { format_version } = await inspectBackup(file, undefined);
    return format_version;
  },
};

const manifest: Target = {
  name: "manifest",
  seeds: [Buffer.from(manifestText(1e6, false))],
  words: ['"format_version":2', "null", "[]", "{", "}"],
  parse: (input) => void parseBackupManifest(input.toString("utf8"), "file"),
};

const pem = (name: keyof typeof FIXTURE_TLS) => readFileSync(FIXTURE_TLS[name]);

const certificates: Target = {
  name: "certificates",
  seeds: [
    Buffer.concat([pem("cert"), Buffer.from("\x1e"), pem("key")]),
    Buffer.concat([pem("authority"), pem("expired"), Buffer.from("\x1e"), pem("key")]),
  ],
  words: [
    "-----BEGIN CERTIFICATE-----",
    "-----END CERTIFICATE-----",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----",
    "\n",
    "\x1e",
  ],
  parse(input) {
    const at = input.indexOf(0x1e);
    const certFile = scratch.file("cert.pem", at < 0 ? input : input.subarray(0, at));
    const keyFile = scratch.file("key.pem", at < 0 ? input : input.subarray(at + 1));
    readTlsAuthorities({ setting: "webhooks.ca_file", path: certFile });
    readTlsIdentity({ certFile, keyFile });
  },
};

const key: Target = {
  name: "key",
  seeds: [Buffer.from(`mainstay-key-v1:${"A".repeat(43)}\n`)],
  words: ["mainstay-key-v2:", "mainstay-key-v1:", "\n", " "],
  parse: (input) => parseMasterKey(input.toString("utf8"), "file").length,
};

const KNOWLEDGE_FILES = [
  "brands.json",
  "cascades.json",
  "model.json",
  "states.json",
  "appliances/roof.json",
] as const;

/** One file of the knowledge base, by its number in the first byte, with the others unchanged. */
const knowledge: Target = {
  name: "knowledge",
  seeds: KNOWLEDGE_FILES.map((name, nth) =>
    Buffer.concat([Buffer.of(nth), Buffer.from(JSON.stringify(FILES[name])).subarray(0, 16_000)]),
  ),
  words: ["null", "[]", "{}", '""', "true", ",", '"id"'],
  parse(input) {
    const name = KNOWLEDGE_FILES[(input[0] ?? 0) % KNOWLEDGE_FILES.length]!;
    let content: unknown;
    try {
      content = JSON.parse(input.subarray(1).toString("utf8"));
    } catch {
      return "not JSON";
    }
    readKnowledge({ ...FILES, [name]: content });
    return name;
  },
};

const logo: Target = {
  name: "logo",
  seeds: [
    pngImage(),
    pngImage({ width: 1024, height: 1024, more: [["tEXt", Buffer.from("Author\0a name")]] }),
  ],
  words: [
    "\x89PNG\r\n\x1a\n",
    "IHDR",
    "PLTE",
    "tRNS",
    "IDAT",
    "IEND",
    "\0\0\0\0",
    "\xff\xff\xff\xff",
    "<svg>",
  ],
  parse(input) {
    const read = brandLogoByRule(input, inflateLogoOfBrandJson);
    if (typeof read === "string") throw invalid(read);
    if (read.png.length > input.length) throw new Error("the logo has more than its file");
    return "logo";
  },
};

const workbookSeed = (cells: string) => zipArchive(workbookFiles(sheetXml(cells)), { hasChecksums: false });

/** A workbook without checksums, so that what is changed reaches the parser of XML. */
const workbook: Target = {
  name: "workbook",
  seeds: [
    workbookSeed('<c r="A2"><v>1</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="e"><v>#N/A</v></c>'),
    workbookSeed('<c r="A2"><f>1+1</f><v>2</v></c><c r="D2" t="inlineStr"><is><t>=x &amp; y</t></is></c>'),
  ],
  words: [
    "<c ",
    "<row ",
    'r="XFD1048576"',
    "&#x0;",
    "&e;",
    "<!DOCTYPE x [",
    "]]>",
    "PK\x01\x02",
    "</sheetData>",
  ],
  async parse(input) {
    const sheets = await readWorkbook(scratch.file("input.xlsx", input));
    return `${Math.min(sheets.length, 2)} sheets`;
  },
};

export const FILE_TARGETS: readonly Target[] = [
  configuration,
  backup,
  forgedBackup,
  manifest,
  certificates,
  key,
  knowledge,
  logo,
  workbook,
];

export const removeScratch = () => scratch.remove();
