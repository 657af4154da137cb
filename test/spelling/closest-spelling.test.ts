import { expect, test } from "bun:test";
import { closestKeySpelling, closestSpelling } from "../../src/spelling/closest-spelling.ts";

test("swapped, missing, added and wrong letters are near", () => {
  for (const word of ["prot", "por", "porrt", "pord"])
    expect(closestSpelling(word, ["host", "port"])).toBe("port");
});

test("another word is not near", () => {
  expect(closestSpelling("color", ["host", "port"])).toBeUndefined();
  expect(closestSpelling("", ["host", "port"])).toBeUndefined();
});

test("the same section is nearer than another", () => {
  expect(closestKeySpelling("rm.ca_fil", ["webhooks.ca_file", "rm.ca_file"])).toBe("rm.ca_file");
  expect(closestKeySpelling("embed.ca_file", ["webhooks.ca_file", "embed.frame_ancestors"])).toBe(
    "webhooks.ca_file",
  );
});

test("a very long word is near nothing, and is not compared", () => {
  const before = process.cpuUsage();
  const word = "h".repeat(4_000_000);
  expect(closestKeySpelling(`server.${word}`, ["server.host", "server.port"])).toBeUndefined();
  expect(closestKeySpelling(`${word}.port`, ["server.port"])).toBe("server.port");
  const { user } = process.cpuUsage(before);
  expect(user / 1000).toBeLessThan(200);
});
