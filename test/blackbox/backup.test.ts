import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { Encrypter } from "age-encryption";
import { packTar } from "modern-tar";
import { BOUND_BY_RIGHTS } from "../support/disk.ts";
import { EXECUTABLE } from "../support/executable.ts";
import type { Json } from "../support/json.ts";
import {
  type Installation,
  type Outcome,
  type Partner,
  runMainstay,
  useMainstay,
} from "../support/mainstay.ts";
import { addProperty, addWornAppliance, logEvents } from "../support/portfolio.ts";

const { serve, install, folder } = useMainstay();
/** The pause of each client that writes during a backup. */
const PAUSE_MS = 10;
const PASSPHRASE = "correct horse battery staple";
const IN_ENVIRONMENT = { MAINSTAY_BACKUP__PASSPHRASE: PASSPHRASE };
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let source: Installation;
let acme: Partner;
let applianceId: string;
let place: string;
let plain: string;
let encryptedFile: string;
/** An archive with the same contents and passphrase but a low work factor, so that trying one is fast. */
let lightlyEncrypted: string;
let passphraseFile: string;
beforeAll(async () => {
  source = await serve();
  acme = await source.createPartner("Acme");
  const client = source.as(acme);
  const property = await addProperty(client);
  applianceId = (await addWornAppliance(client, property.id)).id;
  await logEvents(client, {
    appliance_id: applianceId,
    event_type: "Repair",
    date: "2024-05-06",
    notes: "leak",
  });
  const form = new FormData();
  form.append("file", new File([PNG], "leak.png", { type: "image/png" }));
  await client.ask("POST", `/v1/appliances/${applianceId}/photos`, 201, { raw: form });
  place = folder();
  plain = join(place, "plain.backup");
  encryptedFile = join(place, "encrypted.backup");
  passphraseFile = join(place, "passphrase");
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
  await source.json("backup", plain);
  await source.json("backup", encryptedFile, "--passphrase-file", passphraseFile, "--no-key");
  const byEnvironment = join(place, "environment.backup");
  const command = ["backup", byEnvironment, "--data-dir", source.dataDir, "--no-key", "--json"];
  const { stdout } = await runMainstay(command, { env: IN_ENVIRONMENT });
  expect(JSON.parse(stdout)).toMatchObject({ encrypted: true, key_included: false });
  const withoutKey = join(place, "without-key.backup");
  await source.json("backup", withoutKey, "--no-key");
  lightlyEncrypted = join(place, "lightly-encrypted.backup");
  // An encrypted backup is what an unencrypted one is before its checksum.
  const content = readFileSync(withoutKey).subarray(0, -CHECKSUM_BYTES);
  writeFileSync(lightlyEncrypted, await encryptLightly(content));
});

/** The trailing frame with the SHA-256 of all bytes before it. */
const CHECKSUM_BYTES = 40;

/** Mainstay's own work factor takes seconds of CPU time by design. */
async function encryptLightly(bytes: Uint8Array): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(PASSPHRASE);
  encrypter.setScryptWorkFactor(10);
  return await encrypter.encrypt(bytes);
}

/** Restores to the data folder of a new installation. */
async function restore(file: string, ...options: string[]): Promise<Outcome & { into: Installation }> {
  const into = install();
  return { ...(await into.run("restore", file, ...options)), into };
}

/** The exit code for a backup that cannot be read. */
const UNREADABLE = 4;

/** Expects that a failed restore leaves no files. */
function expectNothingRestored(
  { code, stdout, stderr, into }: Outcome & { into: Installation },
  exitCode: number,
): void {
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
  expect(stderr).not.toContain("This is a bug in Mainstay");
  expect(readdirSync(into.folder)).toEqual(["mainstay.toml"]);
}

/** Expects that a failed backup leaves only the files that existed before. */
async function expectRefusedBackup(
  outcome: Promise<Outcome>,
  target: string,
  complaint: string,
): Promise<void> {
  const before = existsSync(target) ? readdirSync(target) : [];
  const { code, stderr } = await outcome;
  expect({ code, complains: stderr.includes(complaint) ? true : stderr }).toEqual({
    code: 1,
    complains: true,
  });
  expect(existsSync(target) ? readdirSync(target) : []).toEqual(before);
}

const damagedCopy = (name: string, damage: (bytes: Buffer) => Buffer, of = plain) => {
  const file = join(place, name);
  writeFileSync(file, damage(readFileSync(of)));
  return file;
};

describe("mainstay backup and restore", () => {
  // Rule: data-commands
  test("recover every acknowledged write, with a backup taken during writes", async () => {
    const client = source.as(acme);
    const acknowledged: string[] = [];
    let writing = true;
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) {
        acknowledged.push((await addProperty(client)).id);
        // Leaves time for the backup: what is written until its end is checked below.
        await Bun.sleep(PAUSE_MS);
      }
    });
    const file = join(place, "under-load.backup");
    while (acknowledged.length < 50) await Bun.sleep(5);
    const before = [...acknowledged];
    const backup = await source.json("backup", file);
    const during = acknowledged.length - before.length;
    writing = false;
    await Promise.all(writers);
    expect(during).toBeGreaterThan(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const { code, stderr, into } = await restore(file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await into.start();
    const restored = into.as(acme);
    for (const id of before) await restored.get(`/v1/properties/${id}`);
    const { total } = (await restored.get("/v1/properties", { limit: 1 })).body;
    expect(total).toBe(backup.counts.properties);
    const doctor = await into.json("doctor", "--full");
    expect(doctor.checks.filter(({ status }: Json) => status === "fail")).toEqual([]);
  });

  test("recover photos, scores and a key that decrypts the webhook secrets, accessible to the owner only", async () => {
    const { code, into } = await restore(plain);
    expect(code).toBe(0);
    expect(statSync(into.dataDir).mode & 0o777).toBe(0o700);
    for (const name of ["mainstay.db", "mainstay.key"])
      expect(statSync(join(into.dataDir, name)).mode & 0o777, name).toBe(0o600);
    // Bytes 18 and 19 of a database file are 2 in WAL mode.
    expect([...readFileSync(join(into.dataDir, "mainstay.db")).subarray(18, 20)]).toEqual([2, 2]);
    await into.start();
    const [there, here] = [source.as(acme), into.as(acme)];
    const path = `/v1/appliances/${applianceId}`;
    expect((await here.get(path)).body).toEqual((await there.get(path)).body);
    expect((await here.get(`${path}/photos`)).body).toEqual((await there.get(`${path}/photos`)).body);
    const [photo] = readdirSync(join(into.dataDir, "uploads"));
    expect(readFileSync(join(into.dataDir, "uploads", photo!))).toEqual(PNG);
    const { checks } = await into.json("doctor");
    expect(checks.find(({ name }: Json) => name === "key").detail).toBe("the key decrypts stored secrets");
  });

  test("restore with the passphrase and a separate key file", async () => {
    const key = join(source.dataDir, "mainstay.key");
    const options = ["--passphrase-file", passphraseFile];
    const withoutKey = await restore(lightlyEncrypted, ...options);
    expectNothingRestored(withoutKey, 1);
    expect(withoutKey.stderr).toContain("does not contain the key file");
    for (const file of [encryptedFile, lightlyEncrypted]) {
      const { code, into } = await restore(file, ...options, "--key", key);
      expect(code).toBe(0);
      await into.start();
      await into.as(acme).get("/v1/ping");
    }
  });

  test("read the passphrase from the environment", async () => {
    const target = join(folder(), "data");
    const key = join(source.dataDir, "mainstay.key");
    const command = ["restore", lightlyEncrypted, "--data-dir", target, "--key", key];
    expect((await runMainstay(command, { env: IN_ENVIRONMENT })).code).toBe(0);
  });

  test("write a file that tar, zstd and sha256sum can read", async () => {
    const opened = folder();
    const tar = Bun.spawn(["tar", "-x", "-C", opened], {
      stdin: Bun.zstdDecompressSync(readFileSync(plain)),
    });
    expect(await tar.exited).toBe(0);
    expect(readdirSync(opened).toSorted()).toEqual([
      "SHA256SUMS",
      "mainstay.db",
      "mainstay.key",
      "manifest.json",
      "uploads",
    ]);
    const sums = Bun.spawn(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: opened });
    expect(await sums.exited).toBe(0);
    const manifest = await Bun.file(join(opened, "manifest.json")).json();
    expect(manifest).toMatchObject({
      format: "mainstay-backup",
      format_version: 1,
      schema_version: expect.any(Number),
      uploads: 1,
    });
  });

  test("restore to an existing empty folder", async () => {
    const into = install();
    mkdirSync(into.dataDir);
    expect((await into.run("restore", plain)).code).toBe(0);
    expect(readdirSync(into.dataDir).toSorted()).toEqual(["mainstay.db", "mainstay.key", "uploads"]);
  });

  test("report whether the file is encrypted", async () => {
    const { stdout } = await source.run("backup", join(place, "words.backup"));
    expect(stdout).toContain("NOT encrypted");
  });
});

describe("restore rejects", () => {
  test.each([
    ["cut in half", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["without its last byte", (bytes: Buffer) => bytes.subarray(0, -1)],
    ["empty", () => Buffer.alloc(0)],
    ["with bytes after its end", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("more")])],
  ])("a backup %s", async (name, damage) => {
    expectNothingRestored(await restore(damagedCopy(`${name}.backup`, damage)), UNREADABLE);
    // Uses the right passphrase and key.
    const options = ["--passphrase-file", passphraseFile, "--key", join(source.dataDir, "mainstay.key")];
    const file = damagedCopy(`encrypted ${name}.backup`, damage, lightlyEncrypted);
    expectNothingRestored(await restore(file, ...options), UNREADABLE);
  });

  test("a backup with one changed byte at any position", async () => {
    const { length } = readFileSync(plain);
    for (const part of [0, 0.2, 0.5, 0.8, 1]) {
      const at = Math.round(part * (length - 1));
      const file = damagedCopy("flipped.backup", (bytes) => {
        bytes[at]! ^= 0x10;
        return bytes;
      });
      expectNothingRestored(await restore(file), UNREADABLE);
    }
  });

  test("an encrypted backup without the passphrase or with a wrong one", async () => {
    const without = await restore(lightlyEncrypted);
    expectNothingRestored(without, 1);
    expect(without.stderr).toContain("is encrypted");
    const other = join(place, "other-passphrase");
    writeFileSync(other, "wrong");
    const wrong = await restore(lightlyEncrypted, "--passphrase-file", other);
    expectNothingRestored(wrong, UNREADABLE);
    expect(wrong.stderr).toContain("the passphrase is wrong");
  });

  // Rule: backup-bombs
  test("a backup with members larger than its manifest states, before it writes anything", async () => {
    const summary = { database_bytes: 4096, uploads: 0, uploads_bytes: 0, uploads_missing: 0, counts: {} };
    const manifest = {
      format: "mainstay-backup",
      format_version: 1,
      product_version: "0.1.0",
      schema_version: 1,
      created_at: "2026-01-31T00:00:00.000Z",
      key_included: false,
      ...summary,
    };
    const member = (name: string, data: Buffer) => ({ header: { name, size: data.length }, body: data });
    const zeros = Buffer.alloc(20_000_000);
    const text = Buffer.from(JSON.stringify(manifest));
    const bombs = {
      database: [member("manifest.json", text), member("mainstay.db", zeros)],
      manifest: [member("manifest.json", Buffer.concat([text, Buffer.alloc(20_000_000, " ")]))],
      upload: [
        member("manifest.json", text),
        member("mainstay.db", zeros.subarray(0, 4096)),
        member("uploads/a.jpg", zeros),
      ],
      checksums: [
        member("manifest.json", text),
        member("mainstay.db", zeros.subarray(0, 4096)),
        member("SHA256SUMS", zeros),
      ],
    };
    for (const [name, members] of Object.entries(bombs)) {
      const packed = zstdCompressSync(Buffer.from(await packTar(members)));
      const mark = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
      const sum = createHash("sha256").update(packed).digest();
      const file = join(place, `${name}-bomb.backup`);
      writeFileSync(file, Buffer.concat([packed, mark, sum]));
      expect(statSync(file).size).toBeLessThan(20_000);
      const target = join(place, `${name}-restored`);
      // Writing beyond the size in the manifest would fail with another error.
      const under = ["prlimit", "--fsize=100000"];
      const refused = await runMainstay(["restore", file, "--data-dir", target], { under });
      expect({ name, code: refused.code }).toEqual({ name, code: UNREADABLE });
      expect(existsSync(target)).toBe(false);
      expect(refused.stderr).toMatch(
        /is damaged or not a backup: it (is larger than|has an unexpected member)/,
      );
    }
  });

  test("a key of another data folder", async () => {
    const stranger = install();
    await stranger.createPartner();
    const key = join(stranger.dataDir, "mainstay.key");
    const refused = await restore(lightlyEncrypted, "--passphrase-file", passphraseFile, "--key", key);
    expectNothingRestored(refused, 1);
    expect(refused.stderr).toContain("does not decrypt the secrets");
  });

  test("a folder that is not empty", async () => {
    const into = install();
    mkdirSync(into.dataDir);
    writeFileSync(join(into.dataDir, "letter"), "mine");
    const { code, stderr } = await into.run("restore", plain);
    expect(code).toBe(1);
    expect(stderr).toContain("is not empty");
    expect(readdirSync(into.dataDir)).toEqual(["letter"]);
  });

  test("a symbolic link to a folder that does not exist", async () => {
    const into = install();
    symlinkSync(`${into.dataDir}-gone`, into.dataDir);
    const { code, stderr } = await into.run("restore", plain);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("is a symbolic link to a folder that does not"),
    ]);
  });

  test("a database of a newer version", async () => {
    const newer = install();
    await newer.createPartner();
    const db = new Database(join(newer.dataDir, "mainstay.db"));
    db.run("INSERT INTO schema_migrations VALUES (99, 'later', 'x', 0)");
    db.close();
    const file = join(place, "newer.backup");
    await newer.json("backup", file);
    const refused = await restore(file);
    expectNothingRestored(refused, 1);
    expect(refused.stderr).toContain("newer version of Mainstay");
  });

  test("a file that is not a backup, and a missing file", async () => {
    const letter = join(place, "letter");
    writeFileSync(letter, "dear all");
    expectNothingRestored(await restore(letter), UNREADABLE);
    expectNothingRestored(await restore(join(place, "absent")), 1);
  });
});

describe("backup fails", () => {
  test("instead of overwriting a file", async () => {
    const file = join(place, "precious");
    writeFileSync(file, "mine");
    await expectRefusedBackup(source.run("backup", file), place, "already exists");
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("for a missing folder", async () => {
    await expectRefusedBackup(
      source.run("backup", join(place, "absent", "x.backup")),
      place,
      "Folder not found:",
    );
  });

  test("for a folder without write permission", async () => {
    const closed = folder();
    chmodSync(closed, 0o500);
    const run = runMainstay(["backup", join(closed, "x.backup"), "--data-dir", source.dataDir], {
      under: BOUND_BY_RIGHTS,
    });
    await expectRefusedBackup(run, closed, "EACCES");
  });

  test("for an empty passphrase file", async () => {
    const empty = join(place, "empty");
    writeFileSync(empty, "\n");
    const run = source.run("backup", join(place, "x.backup"), "--passphrase-file", empty);
    await expectRefusedBackup(run, place, "does not contain a passphrase");
  });

  test("for a missing data folder", async () => {
    const run = runMainstay(["backup", join(place, "x.backup"), "--data-dir", join(place, "absent")]);
    await expectRefusedBackup(run, place, "no installation in");
  });

  test("for a damaged database", async () => {
    const broken = folder();
    cpSync(join(source.dataDir, "mainstay.key"), join(broken, "mainstay.key"));
    const file = join(broken, "mainstay.db");
    const whole = new Database(join(source.dataDir, "mainstay.db"), { readonly: true });
    whole.run("VACUUM INTO ?", [file]);
    whole.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x55, 4 * 4096, 24 * 4096));
    await expectRefusedBackup(
      runMainstay(["backup", join(broken, "x.backup"), "--data-dir", broken]),
      broken,
      "is damaged",
    );
  });

  // A limit on the file size simulates a full disk: writes fail in the same places.
  test.each([8, 200, 400])(
    "if the disk is full after %i blocks, and the server continues",
    async (blocks) => {
      const target = folder();
      const limited = Bun.spawn(
        [
          "sh",
          "-c",
          `ulimit -f ${blocks}; exec "$@"`,
          "sh",
          EXECUTABLE,
          "backup",
          join(target, "x.backup"),
          "--data-dir",
          source.dataDir,
        ],
        { stdio: ["ignore", "pipe", "pipe"] },
      );
      const stderr = await new Response(limited.stderr).text();
      expect(await limited.exited).toBe(1);
      expect(stderr).not.toContain("bug in Mainstay");
      expect(readdirSync(target)).toEqual([]);
      await addProperty(source.as(acme));
    },
  );

  test("and leaves the database whole", async () => {
    expect((await source.json("doctor", "--full")).failed).toBe(0);
  });
});

// Rule: backup-photos
test("a backup while photos are uploaded and removed has each photo that it lists", async () => {
  const server = await serve();
  const partner = await server.createPartner("Acme");
  const client = server.as(partner);
  const { id } = await addWornAppliance(client, (await addProperty(client)).id);
  const path = `/v1/appliances/${id}/photos`;
  const images = new Map<string, Buffer>();
  const upload = async () => {
    const image = Buffer.concat([PNG, crypto.getRandomValues(new Uint8Array(2_000))]);
    const raw = new FormData();
    raw.append("file", new File([image], "leak.png", { type: "image/png" }));
    const photo = (await client.ask("POST", path, 201, { raw })).body.id;
    images.set(photo, image);
    return photo;
  };
  await upload();
  // A photo is there for a moment only, so that photos are deleted in every step of a backup.
  let isWriting = true;
  const cycle = async () => {
    while (isWriting) {
      const photo = await upload();
      await Bun.sleep(PAUSE_MS);
      await client.ask("DELETE", `${path}/${photo}`, 200);
    }
  };
  const cycles = Array.from({ length: 4 }, cycle);
  const files = Array.from({ length: 2 }, (_, nth) => join(place, `busy-${nth}.backup`));
  try {
    for (const file of files) expect(await server.json("backup", file)).toMatchObject({ uploads_missing: 0 });
  } finally {
    isWriting = false;
    await Promise.all(cycles);
  }
  const { into } = await restore(files[0]!);
  await into.start();
  const restored = into.as(partner);
  const { appliance_photos, total } = (await restored.get(path)).body;
  expect(appliance_photos).toHaveLength(total);
  for (const { id, url } of appliance_photos) {
    const response = await fetch(`${into.url}${url}`, { headers: restored.credential });
    expect(Buffer.from(await response.arrayBuffer()).equals(images.get(id)!)).toBeTrue();
  }
  const { checks } = await into.json("doctor", "--full");
  expect(checks.find(({ name }: Json) => name === "uploads").detail).toStartWith(
    `all ${total} photos present`,
  );
});
