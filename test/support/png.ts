import { crc32, deflateSync } from "node:zlib";

type Chunk = [type: string, data: Buffer];

/**
 * Returns a PNG image of one color, with further chunks before its pixels and its end, other compressed `pixels`, and other data
 * in a chunk.
 */
export function pngImage({
  width = 120,
  height = 40,
  more = [],
  before = [],
  pixels,
  change: [changed, change] = ["", (data) => data],
}: {
  width?: number;
  height?: number;
  more?: readonly Chunk[];
  before?: readonly Chunk[];
  pixels?: Buffer;
  change?: readonly [type: string, change: (data: Buffer) => Buffer];
} = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // 8 bits per channel, RGB
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.of(26, 95, 90))]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: Math.min(height, 2000) }, () => row)));
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    ...(
      [["IHDR", header], ...before, ["IDAT", pixels ?? rows], ...more, ["IEND", Buffer.alloc(0)]] as Chunk[]
    ).map(([type, data]) => chunk([type, type === changed ? change(data) : data])),
  ]);
}

function chunk([type, data]: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
