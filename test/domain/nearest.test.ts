import { expect, test } from "bun:test";
import { nearest, nearestKey } from "../../src/domain/nearest.ts";

test("swapped, missing, added and wrong letters are near", () => {
  for (const word of ["prot", "por", "porrt", "pord"]) expect(nearest(word, ["host", "port"])).toBe("port");
});

test("another word is not near", () => {
  expect(nearest("colour", ["host", "port"])).toBeUndefined();
  expect(nearest("", ["host", "port"])).toBeUndefined();
});

test("the same section is nearer than another", () => {
  expect(nearestKey("rm.ca_fil", ["webhooks.ca_file", "rm.ca_file"])).toBe("rm.ca_file");
  expect(nearestKey("embed.ca_file", ["webhooks.ca_file", "embed.frame_ancestors"])).toBe("webhooks.ca_file");
});
