import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useMainstay } from "../support/mainstay.ts";
import { startReceiver } from "../support/receiver.ts";

const GUIDE = readFileSync(join(import.meta.dir, "../../docs/partners.md"), "utf8");
const PYTHON = Bun.which("python3");
const { serve, folder } = useMainstay();

type Delivery = { body: Buffer; header: string; secret: string };
let delivery: Delivery;

beforeAll(async () => {
  const receiver = await startReceiver();
  const server = await serve();
  const partner = await server.json("partner", "create", "Guide", "--webhook-url", receiver.url);
  const client = await server.withToken(partner);
  await client.post("/v1/properties", { name: "Elm", address: "1 Elm St", state: "NY" });
  const [received] = await receiver.waitFor((all) => all.length > 0);
  const header = received!.headers["x-service-signature"]!;
  delivery = { body: received!.body, header, secret: partner.webhook_secret };
  await receiver.close();
});

function example(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1];
  if (found === undefined) throw new Error(`the guide has no ${language} example`);
  return found;
}

describe("signature verification in the guide", () => {
  // Rule: endpoint-guide
  test("in TypeScript accepts a real delivery, and rejects an altered one", async () => {
    const file = join(folder(), "receiver.ts");
    writeFileSync(file, example("ts"));
    const { isAuthentic } = await import(file);
    const { body, header, secret } = delivery;
    expect(isAuthentic(body, header, secret)).toBe(true);
    expect(isAuthentic(Buffer.concat([body, Buffer.from(" ")]), header, secret)).toBe(false);
    expect(isAuthentic(body, header, `${secret}x`)).toBe(false);
    expect(isAuthentic(body, "", secret)).toBe(false);
  });

  // Python may not be installed.
  if (PYTHON !== null)
    test("in Python accepts a real delivery, and rejects an altered one", () => {
      const { body, header, secret } = delivery;
      const script = `${example("python")}
import base64, sys
body = base64.b64decode(sys.argv[1])
print(is_authentic(body, sys.argv[2], sys.argv[3]), is_authentic(body + b" ", sys.argv[2], sys.argv[3]))
`;
      const run = Bun.spawnSync([PYTHON, "-c", script, body.toString("base64"), header, secret]);
      expect(run.stdout.toString().trim()).toBe("True False");
    });

  test("is also shown in Go and C#", () => {
    expect(example("go")).toContain("hmac.Equal");
    expect(example("csharp")).toContain("FixedTimeEquals");
  });
});
