import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { executableKind, HEAD_BYTES } from "../../packaging/executable-kind.ts";

/** Writes little-endian fields at their offsets into that many bytes. */
function bytes(
  length: number,
  fields: readonly (readonly [offset: number, size: 1 | 2 | 4 | 8, value: number])[],
) {
  const view = new DataView(new ArrayBuffer(length));
  for (const [at, size, value] of fields) {
    if (size === 1) view.setUint8(at, value);
    if (size === 2) view.setUint16(at, value, true);
    if (size === 4) view.setUint32(at, value, true);
    if (size === 8) view.setBigUint64(at, BigInt(value), true);
  }
  return new Uint8Array(view.buffer);
}

/** Returns an ELF header with one program header that names the loader at byte 128. */
function elf({ bits = 2, order = 1, machine = 62, loader = "/lib64/ld-linux-x86-64.so.2\0" } = {}) {
  const head = bytes(192, [
    [0, 4, 0x464c457f],
    [4, 1, bits],
    [5, 1, order],
    [18, 2, machine],
    [32, 8, 64],
    [54, 2, 56],
    [56, 2, 1],
    [64, 4, loader === "" ? 1 : 3],
    [72, 8, 128],
    [96, 8, loader.length],
  ]);
  head.set(new TextEncoder().encode(loader), 128);
  return head;
}
const machO = (machine: number) =>
  bytes(32, [
    [0, 4, 0xfeedfacf],
    [4, 4, machine],
  ]);
const pe = (machine: number, signature = 0x4550) =>
  bytes(160, [
    [0, 2, 0x5a4d],
    [0x3c, 4, 128],
    [128, 4, signature],
    [132, 2, machine],
  ]);

test("the kind of the Bun that runs this test is read from its file", () => {
  const os = { linux: "ELF", darwin: "Mach-O", win32: "PE" }[process.platform as string];
  const kind = executableKind(readFileSync(process.execPath).subarray(0, HEAD_BYTES));
  expect(kind).toStartWith(`${os} ${process.arch}`);
});

describe("an executable's kind", () => {
  test.each([
    ["ELF x64 glibc", elf()],
    ["ELF x64 musl", elf({ loader: "/lib/ld-musl-x86_64.so.1\0" })],
    ["ELF arm64 glibc", elf({ machine: 183, loader: "/lib/ld-linux-aarch64.so.1\0" })],
    ["ELF x64 static", elf({ loader: "" })],
    ["Mach-O arm64", machO(0x0100000c)],
    ["Mach-O x64", machO(0x01000007)],
    ["PE x64", pe(0x8664)],
    ["PE arm64", pe(0xaa64)],
  ])("is %s", (kind, head) => {
    expect(executableKind(head)).toBe(kind);
    // Also reads the header from the middle of a larger buffer.
    const among = new Uint8Array(head.length + 3);
    among.set(head, 3);
    expect(executableKind(among.subarray(3))).toBe(kind);
  });
});

describe("bytes that are no such executable are recognized", () => {
  test.each([
    ["nothing", new Uint8Array()],
    ["a script", new TextEncoder().encode("#!/bin/sh\nexit 0\n")],
    ["zeros", new Uint8Array(4096)],
    ["an ELF for 32 bits", elf({ bits: 1 })],
    ["an ELF of the other byte order", elf({ order: 2 })],
    ["an ELF for RISC-V", elf({ machine: 243 })],
    ["an ELF with an unknown loader", elf({ loader: "/lib/other.so\0" })],
    ["a truncated ELF", elf().subarray(0, 100)],
    ["an ELF whose loader is cut off", elf().subarray(0, 130)],
    ["a Mach-O for PowerPC", machO(18)],
    ["a program for DOS", pe(0x8664, 0)],
    ["a PE for 32 bits", pe(0x14c)],
    ["a truncated PE", pe(0x8664).subarray(0, 130)],
  ])("%s", (_, head) => {
    expect(executableKind(head)).toContain("?");
  });
});
