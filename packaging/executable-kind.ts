/** The number of bytes to read for `executableKind`: ELF and PE may place the data after their headers. */
export const HEAD_BYTES = 64 * 1024;

const ELF_MACHINES: Readonly<Record<number, string>> = { 62: "x64", 183: "arm64" };
const MACH_O_MACHINES: Readonly<Record<number, string>> = { 16777223: "x64", 16777228: "arm64" };
const PE_MACHINES: Readonly<Record<number, string>> = { 34404: "x64", 43620: "arm64" };

/**
 * Returns the format and machine of an executable from its first bytes, such as "Mach-O arm64"; for ELF also the C library
 * of its loader: "ELF x64 musl". Unrecognized parts are `?`.
 */
export function executableKind(head: Uint8Array): string {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    if (view.getUint32(0) === 0x7f454c46) return elf(view);
    if (view.getUint32(0, true) === 0xfeedfacf)
      return `Mach-O ${MACH_O_MACHINES[view.getUint32(4, true)] ?? "?"}`;
    if (view.getUint16(0) === 0x4d5a) return pe(view);
    return "? (unknown format)";
  } catch (error) {
    if (error instanceof RangeError) return "? (truncated)";
    throw error;
  }
}

function elf(view: DataView): string {
  const is64BitsLittleEndian = view.getUint8(4) === 2 && view.getUint8(5) === 1;
  if (!is64BitsLittleEndian) return "ELF ? (unsupported word size or byte order)";
  const machine = ELF_MACHINES[view.getUint16(18, true)] ?? "?";
  return `ELF ${machine} ${libraryOf(loader(view))}`;
}

/** Returns the path of the loader (program header PT_INTERP); empty if there is none. */
function loader(view: DataView): string {
  const [start, size, count] = [
    view.getBigUint64(32, true),
    view.getUint16(54, true),
    view.getUint16(56, true),
  ];
  for (let at = Number(start); at < Number(start) + size * count; at += size) {
    if (view.getUint32(at, true) !== 3) continue;
    const [from, length] = [
      Number(view.getBigUint64(at + 8, true)),
      Number(view.getBigUint64(at + 32, true)),
    ];
    if (from + length > view.byteLength) throw new RangeError("the loader's path is beyond the bytes read");
    return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + from, length));
  }
  return "";
}

function libraryOf(loaderPath: string): string {
  if (loaderPath === "") return "static";
  if (loaderPath.includes("/ld-musl-")) return "musl";
  return loaderPath.includes("/ld-linux-") ? "glibc" : "?";
}

function pe(view: DataView): string {
  const at = view.getUint32(0x3c, true);
  return view.getUint32(at) === 0x50450000
    ? `PE ${PE_MACHINES[view.getUint16(at + 4, true)] ?? "?"}`
    : "PE ?";
}
