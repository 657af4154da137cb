import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { startReceiver } from "../support/receiver.ts";

const EXAMPLES = join(import.meta.dir, "../../docs/examples");
const SINCE = "2020-01-01T00:00:00.000Z";
const PYTHON = Bun.which("python3");
const { serve, folder } = useMainstay();
let server: Installation;
let client: ApiClient;
let partnerId: string;
let base: string;
let key: string;
let secret: string;
let body: Buffer;
let header: string;
let ids: string[];

beforeAll(async () => {
  const receiver = await startReceiver();
  server = await serve();
  const partner = await server.json("partner", "create", "Examples", "--webhook-url", receiver.url);
  client = await server.withToken(partner);
  partnerId = partner.partner_id;
  await addWornAppliance(client, (await addProperty(client)).id);
  const [received] = await receiver.waitFor((all) => all.length > 0);
  await receiver.close();
  base = `${server.url}/api`;
  key = partner.api_key;
  secret = partner.webhook_secret;
  body = received!.body;
  header = received!.headers["x-service-signature"]!;
  const { events } = (await client.get("/v1/events", { since: SINCE, limit: "200" })).body;
  ids = events.map(({ data }: Json) => data.id);
});

const run = (command: string[]) => Bun.spawnSync(command, { cwd: EXAMPLES });

describe("the example in TypeScript", () => {
  // Rule: endpoint-guide
  test("accepts a real delivery, and rejects an altered one", async () => {
    const { isAuthentic } = await import(join(EXAMPLES, "webhooks.ts"));
    expect(isAuthentic(body, header, secret)).toBe(true);
    expect(isAuthentic(Buffer.concat([body, Buffer.from(" ")]), header, secret)).toBe(false);
    expect(isAuthentic(body, header, `${secret}x`)).toBe(false);
  });

  // Rule: polling-budget
  test("reads the whole stream once, and then takes one call for new events", async () => {
    const { readEvents } = await import(join(EXAMPLES, "webhooks.ts"));
    const first = await readEvents(base, key, SINCE);
    expect(first.entries.map(({ data }: Json) => data.id)).toEqual(ids);
    const quiet = await readEvents(base, key, first.since);
    expect(quiet).toMatchObject({ since: first.since, calls: 1 });
    expect(quiet.entries.every(({ type }: Json) => type.startsWith("component."))).toBe(true);
  });
});

// Rule: polling-budget
test("the polling described in the guide stays within the default daily call limit", async () => {
  const guide = await Bun.file(join(EXAMPLES, "../partners.md")).text();
  const minutes = Number(/at most every (\d+) minutes/i.exec(guide)![1]);
  const most = Number(/supports ([\d,]+) such/.exec(guide)![1]!.replaceAll(",", ""));
  const config = await Bun.file(join(EXAMPLES, "../../config.example.toml")).text();
  const budget = Number(/^daily_budget = (\d+)/m.exec(config.replaceAll("_000", "000"))![1]);
  expect(((24 * 60) / minutes) * (most / 200)).toBeLessThanOrEqual(budget);
});

describe("the examples with curl and openssl", () => {
  // Rule: endpoint-guide
  test("accept a real delivery, and reject an altered one", () => {
    const file = join(folder(), "body.json");
    const verify = (sent: Buffer, signature: string) => {
      writeFileSync(file, sent);
      return run(["sh", "verify-webhook.sh", file, signature, secret]).exitCode;
    };
    expect(verify(body, header)).toBe(0);
    expect(verify(Buffer.concat([body, Buffer.from(" ")]), header)).toBe(1);
    expect(verify(body, "")).toBe(1);
  });

  test("read the stream to its end", () => {
    const { exitCode, stdout, stderr } = run(["sh", "read-events.sh", base, key, SINCE]);
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
    const pages = stdout.toString().trim().split("\n");
    expect(pages.flatMap((page) => JSON.parse(page).events.map(({ data }: Json) => data.id))).toEqual(ids);
  });
});

describe("the example in Python", () => {
  if (PYTHON === null) console.warn("python3 not found: docs/examples/webhooks.py is not tested.");
  else {
    // Rule: endpoint-guide
    test("accepts a real delivery, and rejects an altered one", () => {
      const script =
        "import base64, sys, webhooks\nb = base64.b64decode(sys.argv[1])\n" +
        "print(webhooks.is_authentic(b, *sys.argv[2:]), webhooks.is_authentic(b + b' ', *sys.argv[2:]))";
      const { stdout } = run([PYTHON, "-B", "-c", script, body.toString("base64"), header, secret]);
      expect(stdout.toString().trim()).toBe("True False");
    });

    test("reads the stream to its end", () => {
      const { stdout, stderr } = run([PYTHON, "-B", "webhooks.py", base, key, SINCE]);
      expect(stderr.toString()).toBe("");
      expect(JSON.parse(stdout.toString()).ids).toEqual(ids);
    });
  }
});

describe("the example endpoints", () => {
  const programs = [
    [process.execPath, "receiver.ts"],
    ...(PYTHON === null ? [] : [[PYTHON, "-B", "receiver.py"]]),
  ];

  // Rule: endpoint-guide
  test.each(programs.map((command) => [command.at(-1)!, command] as const))(
    "%s processes each delivery once, and rejects a forged one",
    async (_, command) => {
      const receiver = Bun.spawn(command, {
        cwd: EXAMPLES,
        env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: "0" },
        stdout: "pipe",
      });
      try {
        const lines = linesOf(receiver.stdout);
        const url = /http:\S+/.exec((await lines.next()).value!)![0];
        const send = (signature: string) =>
          fetch(url, {
            method: "POST",
            body: new Uint8Array(body),
            headers: { "x-service-signature": signature, "x-service-delivery": "WH_1_aaaaa" },
          });
        const statuses = [];
        for (const signature of ["sha256=0", header, header]) statuses.push((await send(signature)).status);
        expect(statuses).toEqual([401, 200, 200]);
        expect(JSON.parse((await lines.next()).value!)).toMatchObject({ id: "WH_1_aaaaa" });

        await server.json("partner", "set-webhook", partnerId, url);
        const { id } = await addProperty(client, { name: "Heard Of" });
        const { event, data } = JSON.parse((await lines.next()).value!);
        expect([event, data.property_id]).toEqual(["property.created", id]);
      } finally {
        receiver.kill();
        await receiver.exited;
      }
    },
  );
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop()!;
    yield* lines;
  }
}
