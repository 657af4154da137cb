/** An image for a partner's embeds. `png` contains only what draws it: no metadata, no animation. */
export type Logo = { png: Uint8Array; width: number; height: number };

/** The largest file of a logo, in bytes: a phone loads it with the first page. */
export const MAX_LOGO_BYTES = 65_536;
/** The bounds of a logo's width and height, in pixels. More would only use the memory of browsers. */
export const LOGO_SIDES = { least: 16, most: 1024 } as const;

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The chunks that draw a picture (PNG specification, third edition). All others are dropped. */
const DRAWING = new Set(["IHDR", "PLTE", "tRNS", "gAMA", "sRGB", "IDAT", "IEND"]);
/** The length and type before the data of a chunk, and its checksum after. */
const CHUNK_HEADER = 8;
const CHUNK_CHECKSUM = 4;

/**
 * Reads the logo from a file by its content. Returns the problem as a text that says what is accepted instead. Formats
 * that can contain scripts or refer to other files, such as SVG, are not accepted.
 */
export function readLogo(file: Uint8Array): Logo | string {
  if (file.length > MAX_LOGO_BYTES) return `must have at most ${MAX_LOGO_BYTES / 1024} KB`;
  if (!SIGNATURE.every((byte, at) => file[at] === byte))
    return "must be a PNG image; SVG is not accepted, since it can contain scripts";
  const damaged = "must be a complete PNG image";
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const kept: Uint8Array[] = [file.subarray(0, SIGNATURE.length)];
  const types: string[] = [];
  let size = { width: 0, height: 0 };
  for (let at = SIGNATURE.length; types.at(-1) !== "IEND"; ) {
    if (at + CHUNK_HEADER + CHUNK_CHECKSUM > file.length) return damaged;
    const length = view.getUint32(at);
    const type = String.fromCharCode(...file.subarray(at + 4, at + CHUNK_HEADER));
    const end = at + CHUNK_HEADER + length + CHUNK_CHECKSUM;
    if (end > file.length) return damaged;
    if ((type === "IHDR") !== (types.length === 0)) return damaged;
    if (type === "IHDR") {
      if (length !== 13) return damaged;
      size = { width: view.getUint32(at + CHUNK_HEADER), height: view.getUint32(at + CHUNK_HEADER + 4) };
    }
    types.push(type);
    if (DRAWING.has(type)) kept.push(file.subarray(at, end));
    at = end;
  }
  if (!types.includes("IDAT")) return damaged;
  const { least, most } = LOGO_SIDES;
  if (Math.min(size.width, size.height) < least || Math.max(size.width, size.height) > most)
    return `must be ${least} to ${most} pixels wide and high; it has ${size.width} × ${size.height}`;
  return { png: joined(kept), ...size };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
