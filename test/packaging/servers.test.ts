import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { useMainstay } from "../support/mainstay.ts";

const FOLDER = join(import.meta.dir, "../../packaging/servers");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");

type Service = {
  hostname?: string;
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  depends_on?: string[];
};
const compose = Bun.YAML.parse(read("compose.yaml")) as {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
};
const servers = Object.entries(compose.services).filter(([name]) => name.startsWith("mainstay-"));
const { install } = useMainstay();

describe("compose.yaml", () => {
  test("has three servers with equal settings, and their dependencies", () => {
    expect(servers.map(([name]) => name)).toEqual(["mainstay-1", "mainstay-2", "mainstay-3"]);
    for (const [name, service] of servers) expect(service).toEqual({ ...servers[0]![1], hostname: name });
    const named = Object.values(compose.services).flatMap((service) => service.depends_on ?? []);
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(named));
  });

  test("names declared secrets, and files that exist or that its header comment requires", () => {
    const used = Object.values(compose.services).flatMap((service) => service.secrets ?? []);
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(used));
    const mounted = Object.values(compose.services)
      .flatMap((service) => service.volumes ?? [])
      .filter((volume) => volume.startsWith("./"))
      .map((volume) => volume.split(":")[0]!);
    const [head] = read("compose.yaml").split("\nx-mainstay");
    for (const file of [...mounted, ...Object.values(compose.secrets).map((secret) => secret.file)])
      if (!file.endsWith(".cfg") && !file.endsWith(".http"))
        expect(head).toContain(file.replace("./", "").replace("certificates/", ""));
      else expect(read(file.replace("./", ""))).not.toBe("");
  });

  test("gives the servers existing settings", async () => {
    const { environment = {} } = servers[0]![1];
    const [{ subnet }] = compose.networks.default.ipam.config as [{ subnet: string }];
    expect(environment.MAINSTAY_SERVER__TRUSTED_PROXIES).toBe(subnet);
    const plain = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.endsWith("_FILE")));
    const files = Object.keys(environment).filter((name) => name.endsWith("_FILE"));
    expect(files).toEqual(["MAINSTAY_STORAGE__URL_FILE", "MAINSTAY_KEY_FILE"]);
    const server = install();
    await server.start({ env: plain });
    await server.stop();
  });
});

describe("haproxy.cfg", () => {
  let health: string;
  beforeAll(async () => {
    const server = install();
    await server.start();
    health = (await server.anonymous.get("/health")).text;
    await server.stop();
  });

  test("checks each of the servers at the ports of the container, and expects the response of a healthy one", () => {
    const asked = [...read("haproxy.cfg").matchAll(/^ {2}server (\S+) (\S+):(\d+)/gm)];
    expect(asked.map(([, name, host, port]) => [name === host, name, port])).toEqual(
      ["8080", "8081"].flatMap((port) => servers.map(([name]) => [true, name, port])),
    );
    const expected = [...read("haproxy.cfg").matchAll(/http-check expect rstring "(.*)"$/gm)];
    expect(expected).toHaveLength(2);
    for (const [, text] of expected) {
      const pattern = new RegExp(text!.replaceAll('\\"', '"'));
      const accepted = ["ok", "full", "failed"].map((state) =>
        pattern.test(health.replace('"database":"ok"', `"database":"${state}"`)),
      );
      expect(accepted).toEqual([true, true, false]);
    }
  });

  // Rule: drain
  test("takes a server that drains out of use, and leaves its requests in progress alone", () => {
    const draining = [
      ...read("haproxy.cfg").matchAll(/http-check expect error-status L7OKC ! string "(.*)"$/gm),
    ];
    expect(draining).toHaveLength(2);
    for (const [, text] of draining)
      expect(health.replace('"status":"ok"', '"status":"draining"')).toContain(text!.replaceAll('\\"', '"'));
  });

  test("responds without a server as the API does", () => {
    const [head, body] = read("503.http").split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head).toMatch(/\r\nRetry-After: \d+\r\n/);
    expect(JSON.parse(body!)).toEqual({ error: expect.any(String), code: "unavailable" });
  });

  test.each([502, 504])("answers %i for a server that fails during a request", (status) => {
    expect(read("haproxy.cfg")).toContain(`errorfile ${status} /usr/local/etc/haproxy/${status}.http\n`);
    const [head, body] = read(`${status}.http`).split("\r\n\r\n");
    expect(head).toStartWith(`HTTP/1.1 ${status} `);
    expect(JSON.parse(body!)).toEqual({
      error: expect.stringContaining("may have been executed"),
      code: "internal",
    });
  });
});
