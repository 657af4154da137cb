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

/** Decompresses data in zlib's format; undefined if it is damaged, or longer than `most` when expanded. */
type Inflate = (compressed: Uint8Array, most: number) => Uint8Array | undefined;

/**
 * Reads the logo from a file by its content. Returns the problem as a text that says what is accepted instead. Formats
 * that can contain scripts or refer to other files, such as SVG, are not accepted.
 */
export function brandLogoByRule(file: Uint8Array, inflate: Inflate): Logo | string {
  if (file.length > MAX_LOGO_BYTES) return `must have at most ${MAX_LOGO_BYTES / 1024} KB`;
  if (!SIGNATURE.every((byte, at) => file[at] === byte))
    return "must be a PNG image; SVG is not accepted, since it can contain scripts";
  const damaged = "must be a complete PNG image";
  const chunks = chunksOf(file);
  if (!chunks) return damaged;
  const header = headerOf(chunks[0]!);
  if (!header) return damaged;
  const { width, height } = header;
  if (chunks.filter(({ type }) => type === "IHDR").length > 1) return damaged;
  const { least, most } = LOGO_SIDES;
  if (Math.min(width, height) < least || Math.max(width, height) > most)
    return `must be ${least} to ${most} pixels wide and high; it has ${width} × ${height}`;
  if (!hasSoundPalette(header, chunks)) return damaged;
  const compressed = joined(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data));
  if (!hasPixels(header, compressed, inflate)) return damaged;
  const kept = chunks.filter(({ type }) => DRAWING.has(type)).map(({ bytes }) => bytes);
  return { png: joined([file.subarray(0, SIGNATURE.length), ...kept]), width, height };
}

/** `bytes` include the length, the type and the checksum. */
type Chunk = { type: string; data: Uint8Array; bytes: Uint8Array };

/** Returns the chunks of a file up to its end; undefined if it has no end, or if one that draws is damaged. */
function chunksOf(file: Uint8Array): Chunk[] | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; chunks.at(-1)?.type !== "IEND"; ) {
    if (at + CHUNK_HEADER + CHUNK_CHECKSUM > file.length) return undefined;
    const dataEnd = at + CHUNK_HEADER + view.getUint32(at);
    const end = dataEnd + CHUNK_CHECKSUM;
    if (end > file.length) return undefined;
    const type = String.fromCharCode(...file.subarray(at + 4, at + CHUNK_HEADER));
    if (DRAWING.has(type) && view.getUint32(dataEnd) !== crc32(file.subarray(at + 4, dataEnd)))
      return undefined;
    chunks.push({ type, data: file.subarray(at + CHUNK_HEADER, dataEnd), bytes: file.subarray(at, end) });
    at = end;
  }
  return chunks;
}

const PALETTE = 3;
/** The channels of each color type, and the bits that one can have. */
const COLOR_TYPES: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  [PALETTE]: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

type Header = {
  width: number;
  height: number;
  colorType: number;
  bitsPerPixel: number;
  isInterlaced: boolean;
};

function headerOf({ type, data }: Chunk): Header | undefined {
  if (type !== "IHDR" || data.length !== 13) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [depth, colorType, compression, filter, interlace] = data.subarray(8) as unknown as number[];
  const color = COLOR_TYPES[colorType!];
  if (!color?.depths.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1)
    return undefined;
  return {
    width: view.getUint32(0),
    height: view.getUint32(4),
    colorType: colorType!,
    bitsPerPixel: color.channels * depth!,
    isInterlaced: interlace === 1,
  };
}

/** The bytes of a color in a palette, and the most colors. */
const COLOR_BYTES = 3;
const MOST_COLORS = 256;

/** Returns whether there is a palette where the colors need one, and none that decoders refuse. */
function hasSoundPalette({ colorType }: Header, chunks: readonly Chunk[]): boolean {
  const palettes = chunks.filter(({ type }) => type === "PLTE");
  const [palette] = palettes;
  if (!palette) return colorType !== PALETTE;
  const colors = palette.data.length / COLOR_BYTES;
  return (
    palettes.length === 1 &&
    Number.isInteger(colors) &&
    colors >= 1 &&
    colors <= MOST_COLORS &&
    chunks.indexOf(palette) < chunks.findIndex(({ type }) => type === "IDAT")
  );
}

/** The passes of an interlaced image (Adam7): the first column and row, and the steps between them. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
/** Each row begins with the number of its filter. */
const MOST_FILTER = 4;

/** Returns whether the compressed data has all rows of the image. */
function hasPixels(
  { width, height, bitsPerPixel, isInterlaced }: Header,
  compressed: Uint8Array,
  inflate: Inflate,
): boolean {
  const passes = isInterlaced ? PASSES : ([[0, 0, 1, 1]] as const);
  const starts: number[] = [];
  let length = 0;
  for (const [left, top, across, down] of passes) {
    const columns = Math.ceil((width - left) / across);
    const rowBytes = 1 + Math.ceil((columns * bitsPerPixel) / 8);
    for (let row = top; row < height; row += down, length += rowBytes) starts.push(length);
  }
  const pixels = inflate(compressed, length);
  return pixels?.length === length && starts.every((at) => pixels[at]! <= MOST_FILTER);
}

/** Returns the checksum of a chunk's type and data (ISO 3309). */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
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
