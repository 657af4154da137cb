import { beforeAll, describe, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents } from "../support/portfolio.ts";
import { testOnSqlite } from "../support/postgres.ts";

const { serve } = useMainstay();
let server: Installation;
let client: ApiClient;
let other: ApiClient;
let appliance: Json;
beforeAll(async () => {
  server = await serve();
  client = server.as(await server.createPartner("Acme"));
  other = server.as(await server.createPartner("Other"));
  appliance = await addAppliance(client, (await addProperty(client)).id, { brand: "Rheem", model: "X" });
});

/** The first bytes of each image format, followed by other bytes. */
const PICTURES = {
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46],
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0],
  "image/webp": [..."RIFF\0\0\0\0WEBPVP8 "].map((c) => c.charCodeAt(0)),
  "image/heic": [..."\0\0\0\u0018ftypheic\0\0"].map((c) => c.charCodeAt(0)),
} as const;
const JPEG = new Uint8Array(PICTURES["image/jpeg"]);
const MEGABYTE = 1024 * 1024;

function upload(
  bytes: Uint8Array<ArrayBuffer> | string,
  {
    name = "tank.jpg",
    status = 201,
    by = client,
    fields = {} as Record<string, string>,
    to = appliance.id,
    headers = {} as Record<string, string>,
  } = {},
) {
  const form = new FormData();
  form.set("file", new File([bytes], name, { type: "image/jpeg" }));
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  return by.ask("POST", `/v1/appliances/${to}/photos`, status, { raw: form, headers });
}

const photosOf = async (id: string, query = "") =>
  (await client.get(`/v1/appliances/${id}/photos${query}`)).body;
const stored = () => server.uploads();

describe("a photo", () => {
  // Rule: key-replay, key-other-body, key-refused
  test("with an Idempotency-Key is stored once, however its body is divided, and another is refused", async () => {
    const { id: to } = await addAppliance(client, (await addProperty(client)).id);
    const headers = { "idempotency-key": "photo 1" };
    await upload("text", { to, headers, status: 400 });
    const [first, again] = [await upload(JPEG, { to, headers }), await upload(JPEG, { to, headers })];
    expect([first, again].map((reply) => reply.headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(again.text).toBe(first.text);
    const other = new Uint8Array([...JPEG, 1]);
    await upload(other, { to, headers, status: 409 });
    await upload(JPEG, { to, headers, name: "other.jpg", status: 409 });
    expect((await photosOf(to)).appliance_photos.map(({ id }: Json) => id)).toEqual([first.body.id]);
    expect((await stored()).filter((name) => name === first.body.filename)).toHaveLength(1);
    await upload(JPEG, { to });
    expect((await photosOf(to)).appliance_photos).toHaveLength(2);
  });

  // Rule: admin-photo-ids, upload-photo, list-photos, photo-record
  test.each(Object.entries(PICTURES))(
    "in the format %s is accepted, listed and served unchanged",
    async (type, first) => {
      const bytes = new Uint8Array([...first, ...crypto.getRandomValues(new Uint8Array(5000))]);
      const { body } = await upload(bytes, { name: "my tank.jpg" });
      expect(body).toEqual({
        id: expect.stringMatching(/^PH_/),
        filename: expect.stringMatching(/^[0-9a-f]{32}\.(jpg|png|webp|heic)$/),
        original_name: "my tank.jpg",
        url: `/api/uploads/${body.filename}`,
        uploaded_at: expect.stringMatching(/Z$/),
        service_event_id: null,
        event_type: null,
        event_date: null,
        event_voided: false,
        partner: "Acme",
      });
      const { partner: _, ...record } = body;
      expect((await photosOf(appliance.id)).appliance_photos).toContainEqual(record);
      const response = await fetch(`${server.url}${body.url}`, { headers: client.credential });
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
      expect(response.headers.get("content-type")).toBe(type);
    },
  );

  // Rule: photo-headers
  test("is served inline with its name, without content sniffing and scripts", async () => {
    const { body } = await upload(JPEG, { name: "ça; 'x'(1).html" });
    const { headers } = await client.get(body.url);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-disposition")).toBe(
      `inline; filename="${body.filename}"; filename*=UTF-8''%C3%A7a%3B%20%27x%27%281%29.html`,
    );
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(headers.get("cache-control")).toStartWith("private");
  });

  test("is served completely, also for a Range", async () => {
    const { body } = await upload(JPEG);
    for (const range of ["bytes=0-1", "bytes=-2", "bytes=100-200", "bytes=0-0,2-3", "none"]) {
      const { status, headers } = await client.ask("GET", `/uploads/${body.filename}`, 200, {
        headers: { range },
      });
      expect([status, headers.get("content-length")]).toEqual([200, String(JPEG.length)]);
      expect(headers.get("content-range")).toBeNull();
    }
  });

  // Rule: upload-photo, list-photos
  test("of a service event is listed separately, with the event's type and date", async () => {
    const date = dateDaysFromToday(-3);
    const event = { appliance_id: appliance.id, event_type: "Repair", date };
    const { id } = (await logEvents(client, event)).events[0];
    const { body } = await upload(JPEG, { fields: { service_event_id: id } });
    expect(body).toMatchObject({ service_event_id: id, event_type: "Repair", event_date: date });
    const listed = await photosOf(appliance.id);
    expect(listed).toMatchObject({
      appliance_id: appliance.id,
      type: appliance.type_id,
      brand: "Rheem",
      model: "X",
    });
    expect(listed.service_event_photos.map((one: Json) => one.filename)).toEqual([body.filename]);
    expect(listed.total).toBe(listed.appliance_photos.length + 1);
  });

  // Rule: list-photos
  test("is on a page of the list, in the order of upload, whichever list it is in", async () => {
    const { id } = await addAppliance(client, appliance.property_id);
    const event = { appliance_id: id, event_type: "Repair", date: dateDaysFromToday(-3) };
    const logged = (await logEvents(client, event)).events[0];
    const uploaded: Json[] = [];
    for (const fields of [{}, { service_event_id: logged.id }, {}] as Record<string, string>[])
      uploaded.push((await upload(JPEG, { to: id, fields })).body);
    const pageOf = async (query: string) => {
      const { appliance_photos, service_event_photos, ...rest } = await photosOf(id, query);
      return { ids: [...appliance_photos, ...service_event_photos].map((one: Json) => one.id), ...rest };
    };
    const [first, second, third] = uploaded.map((one) => one.id);
    expect(await pageOf("")).toMatchObject({ ids: [first, third, second], total: 3, limit: 200, offset: 0 });
    const start = { ids: [first, second], total: 3, limit: 2, offset: 0, page: 1, pages: 2 };
    expect(await pageOf("?limit=2")).toMatchObject(start);
    expect(await pageOf("?limit=2&offset=2")).toMatchObject({ ids: [third], total: 3, page: 2, pages: 2 });
    expect(await pageOf("?offset=3")).toMatchObject({ ids: [], total: 3 });
  });

  // Rule: upload-photo, list-photos, photo-of-moved-event
  test("is rejected with 409 where the appliance has 10,000, as is the move of its service event there, and the list stays a page of 200", async () => {
    const { id } = await addAppliance(client, appliance.property_id);
    const { partner_id } = (await server.json("partner", "list")).partners.find(
      ({ name }: Json) => name === "Acme",
    );
    await server.sql(
      `WITH RECURSIVE numbers (n) AS (SELECT 10001 UNION ALL SELECT n + 1 FROM numbers WHERE n < 19999)
       INSERT INTO photos (id, partner_id, appliance_id, service_event_id, filename, original_name, media_type, bytes, sha256, uploaded_at)
       SELECT 'PH_${"0".repeat(21)}' || n, '${partner_id}', '${id}', NULL, 'many' || n, 'x.jpg', 'image/jpeg', 0, '', n FROM numbers`,
    );
    const last = (await upload(JPEG, { to: id })).body;
    const files = await stored();
    const { body } = await upload(JPEG, { to: id, status: 409 });
    expect(body.error).toBe(
      `${id} has 10000 photos, and an appliance may have 10000. Remove photos that you no longer need.`,
    );
    expect(await stored()).toEqual(files);
    const listed = await photosOf(id);
    expect([listed.appliance_photos.length, listed.total, listed.pages]).toEqual([200, 10_000, 50]);
    const removed = await client.ask("DELETE", `/v1/appliances/${id}/photos/${last.id}`, 200);
    expect([removed.body.appliance_photos.length, removed.body.total]).toEqual([200, 9_999]);
    const further = (await upload(JPEG, { to: id })).body;
    const visit = { appliance_id: appliance.id, event_type: "Repair", date: dateDaysFromToday(-3) };
    const [event] = (await logEvents(client, visit)).events;
    const evidence = (await upload(JPEG, { fields: { service_event_id: event.id } })).body;
    const move = (status: number) =>
      client.put(`/v1/service-events/${event.id}`, { appliance_id: id }, status);
    expect((await move(409)).body.error).toStartWith(
      `${id} has 10000 photos, service event ${event.id} has 1,`,
    );
    await client.ask("DELETE", `/v1/appliances/${id}/photos/${further.id}`, 200);
    await move(200);
    expect((await photosOf(id, "?offset=9999")).service_event_photos).toMatchObject([{ id: evidence.id }]);
    const left = (await photosOf(appliance.id)).service_event_photos;
    expect(left.filter((one: Json) => one.id === evidence.id)).toEqual([]);
  });

  // Rule: serve-photo, own-data
  test("is not served to another partner or without credentials", async () => {
    const { body } = await upload(JPEG);
    await server.anonymous.get(body.url, {}, 401);
    const refused = await other.get(body.url, {}, 404);
    const unknown = await other.get(`/uploads/${"0".repeat(32)}.jpg`, {}, 404);
    expect(refused.body.error).toBe(unknown.body.error);
    await other.get(`/v1/appliances/${appliance.id}/photos`, {}, 404);
    await upload(JPEG, { by: other, status: 404 });
  });
});

describe("a photo is removed", () => {
  const remove = (id: string, { status = 200, by = client, from = appliance.id } = {}) =>
    by.ask("DELETE", `/v1/appliances/${from}/photos/${id}`, status);

  // Rule: remove-photo
  test("with its file, while its service event and scores stay", async () => {
    const event = { appliance_id: appliance.id, event_type: "Repair", date: dateDaysFromToday(-3) };
    const logged = (await logEvents(client, event)).events[0];
    const kept = (await upload(JPEG)).body;
    const wrong = (await upload(JPEG, { fields: { service_event_id: logged.id }, name: "wrong.jpg" })).body;
    const components = (await client.get(`/v1/appliances/${appliance.id}`)).body.components;
    const { body } = await remove(wrong.id);
    expect(body).toEqual({ ...(await photosOf(appliance.id)), partner: "Acme" });
    const left = [...body.appliance_photos, ...body.service_event_photos].map((one: Json) => one.id);
    expect(left).toContain(kept.id);
    expect(left).not.toContain(wrong.id);
    await client.get(wrong.url, {}, 404);
    await client.get(kept.url);
    expect(await stored()).not.toContain(wrong.filename);
    expect((await client.get(`/v1/service-events/${logged.id}`)).body).toMatchObject(logged);
    expect((await client.get(`/v1/appliances/${appliance.id}`)).body.components).toEqual(components);
    const { entries } = await server.json("audit", "--subject", wrong.id);
    expect(entries).toMatchObject([
      {
        action: "photo.remove",
        detail: {
          before: {
            appliance_id: appliance.id,
            service_event_id: logged.id,
            original_name: "wrong.jpg",
            bytes: JPEG.length,
          },
          after: { appliance_id: null },
        },
      },
    ]);
    const evidence = (await upload(JPEG, { fields: { service_event_id: logged.id } })).body;
    await client.put(`/v1/service-events/${logged.id}`, { voided: true });
    const { service_event_photos } = await photosOf(appliance.id);
    const isVoided = (one: Json) => one.event_voided;
    expect(service_event_photos.filter(isVoided).map(({ id }: Json) => id)).toEqual([evidence.id]);
    await remove(evidence.id);
    const late = await upload(JPEG, { fields: { service_event_id: logged.id }, status: 409 });
    expect(late.body.error).toEndWith("was voided: upload the photo without service_event_id");
    expect((await remove(wrong.id, { status: 404 })).body.error).toBe("Photo not found");
    expect(await photosOf(appliance.id)).toMatchObject({ total: body.total });
  });

  // Rule: remove-photo, own-data
  test("by its partner alone, from its own appliance, and not from a retired one", async () => {
    const { body } = await upload(JPEG);
    const next = await addAppliance(client, appliance.property_id);
    await remove(body.id, { status: 404, by: other });
    await remove(body.id, { status: 404, from: next.id });
    await remove("PH_1", { status: 404 });
    await client.put(`/v1/appliances/${next.id}`, { retired_at: dateDaysFromToday(-1) });
    const { code } = (await remove(body.id, { status: 409, from: next.id })).body;
    expect(code).toBe("conflict");
    await client.get(body.url);
  });
});

testOnSqlite("a photo whose file is missing is a 404, and others are stored in a new folder", async () => {
  const { body } = await upload(JPEG);
  rmSync(join(server.dataDir, "uploads", body.filename));
  const missing = await client.get(`/uploads/${body.filename}`, {}, 404);
  expect(missing.body).toMatchObject({ error: "Photo not found", code: "not_found" });
  rmSync(join(server.dataDir, "uploads"), { recursive: true });
  const { filename } = (await upload(JPEG)).body;
  await client.get(`/uploads/${filename}`);
  expect(statSync(join(server.dataDir, "uploads")).mode & 0o777).toBe(0o700);
  await server.logged(
    ({ level, msg }) => level === "warn" && msg.startsWith("the folder of photo files was"),
  );
});

describe("an invalid upload is rejected, and no file is stored", () => {
  // Rule: upload-photo
  test.each([
    ["a script", "<script>alert(1)</script>"],
    ["a drawing that may hold scripts", '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ["nothing", ""],
    ["a GIF", "GIF89a"],
    ["two bytes of a JPEG", "\u00ff\u00d8"],
  ])("%s, declared as an image", async (_, text) => {
    const [files, listed] = [await stored(), await photosOf(appliance.id)];
    const { body } = await upload(text, { name: "tank.jpg", status: 400 });
    expect(body.error).toStartWith("file ");
    expect(await stored()).toEqual(files);
    expect(await photosOf(appliance.id)).toEqual(listed);
  });

  // Rule: upload-photo
  test("an image of 11 MB, with or without a declared length", async () => {
    const files = await stored();
    const bytes = new Uint8Array(11 * MEGABYTE);
    bytes.set(JPEG);
    expect((await upload(bytes, { status: 413 })).body.code).toBe("payload_too_large");
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
    const chunks = [head, ...Array.from({ length: 11 }, () => "x".repeat(MEGABYTE)), "\r\n--b--\r\n"];
    const raw = new ReadableStream({
      pull(controller) {
        const next = chunks.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(Buffer.from(next));
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    await client.ask("POST", `/v1/appliances/${appliance.id}/photos`, 413, { raw, headers });
    expect(await stored()).toEqual(files);
  });

  // Rule: upload-photo
  test("an image of exactly the maximum size is accepted", async () => {
    const bytes = new Uint8Array(10 * MEGABYTE);
    bytes.set(JPEG);
    await upload(bytes);
  });

  // Rule: photo-paths
  test.each([
    ["../../../etc/passwd", "passwd"],
    ["..\\..\\windows\\system.ini", "system.ini"],
    ["/absolute/tank.jpg", "tank.jpg"],
    ["..", "photo"],
    ["a\u0001b.jpg", "ab.jpg"],
    ["x".repeat(400), "x".repeat(200)],
  ])("a file name with a path, %s, is only a name", async (name, shown) => {
    // FormData would normalize the name; this body keeps it.
    const raw = Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
      JPEG,
      Buffer.from("\r\n--b--\r\n"),
    ]);
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const path = `/v1/appliances/${appliance.id}/photos`;
    const { body } = await client.ask("POST", path, 201, { raw, headers });
    expect(body.original_name).toBe(shown);
    expect(await stored()).toContain(body.filename);
  });

  test.each([
    [
      "JSON",
      { body: { file: "x" } },
      "Content-Type must be multipart/form-data, with the image in the field file",
    ],
    ["a form without a file", { raw: formOf({ note: ["x"] }) }, "file required"],
    ["a form whose file is text", { raw: formOf({ file: ["x"] }) }, "file required"],
    [
      "a form with two files",
      { raw: formOf({ file: [new Blob([JPEG]), new Blob([JPEG])] }) },
      "one file only",
    ],
    [
      "a form with two service events",
      { raw: formOf({ file: [new Blob([JPEG])], service_event_id: ["SE_1", "SE_2"] }) },
      "one service_event_id only",
    ],
    [
      "an incomplete form",
      { raw: "--b\r\nContent-Disp", headers: { "content-type": "multipart/form-data; boundary=b" } },
      "file required",
    ],
    [
      "a form without a boundary",
      { raw: "x", headers: { "content-type": "multipart/form-data" } },
      "file required",
    ],
  ])("%s", async (_, asking, error) => {
    const { body } = await client.ask("POST", `/v1/appliances/${appliance.id}/photos`, 400, asking);
    expect(body.error).toBe(error);
  });

  test("a photo of an unknown appliance or service event", async () => {
    const files = await stored();
    await upload(JPEG, { to: "A_1", status: 404 });
    await upload(JPEG, { fields: { service_event_id: "SE_1" }, status: 404 });
    expect(await stored()).toEqual(files);
  });
});

// Rule: photo-paths
test.each([
  "../mainstay.key",
  "..%2f..%2fmainstay.key",
  "%2e%2e%2fmainstay.db",
  "%00",
  "mainstay.key",
  "a".repeat(32),
])("the path /uploads/%s is not found", async (name) => {
  const { body } = await client.send("GET", `/uploads/${name}`);
  expect(body).toMatchObject({ code: "not_found" });
});

function formOf(fields: Record<string, (string | Blob)[]>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of values) form.append(name, value);
  return form;
}
