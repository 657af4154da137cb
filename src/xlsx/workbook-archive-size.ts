/** The numbers of the ZIP format that lead to the directory of an archive, and the places of its fields. */
const END = { signature: 0x06054b50, bytes: 22, directoryOffset: 16, mostComment: 65_535 };
const ENTRY = {
  signature: 0x02014b50,
  bytes: 46,
  flags: 8,
  method: 10,
  compressed: 20,
  size: 24,
  nameLength: 28,
  extraLength: 30,
  commentLength: 32,
  headerOffset: 42,
};
const DEFLATED = 8;
const HAS_DESCRIPTOR = 8;
/** So few bytes expand to a few kilobytes at most. */
const NEGLIGIBLE = 64;
/** The cost of reading a file beside its bytes: one that expands to nothing can be named a million times. */
const EACH_FILE = 1_024;
const LOCAL = { bytes: 30, nameLength: 26, extraLength: 28 };

/** A file of an archive: where its data start, how many bytes they are, and how many when they are expanded, at least. */
export type ArchivedFile = { start: number; compressed: number; isDeflated: boolean; size: number };

/**
 * Returns the files of a ZIP archive by its directory: the reader expands none beyond the size there. That is Infinity if the
 * directory does not say it. There are none without a directory.
 */
export function workbookArchiveEntries(bytes: Uint8Array): ArchivedFile[] {
  const archive = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const uint16 = (at: number) => archive.getUint16(at, true);
  const uint32 = (at: number) => archive.getUint32(at, true);
  const last = bytes.length - END.bytes;
  let end = last;
  while (end >= 0 && end >= last - END.mostComment && uint32(end) !== END.signature) end--;
  if (end < 0 || end < last - END.mostComment) return [];
  const startOfData = (header: number) =>
    header + LOCAL.bytes > bytes.length
      ? -1
      : header + LOCAL.bytes + uint16(header + LOCAL.nameLength) + uint16(header + LOCAL.extraLength);
  const files: ArchivedFile[] = [];
  let at = uint32(end + END.directoryOffset);
  // An entry count would not bound the entries that the reader finds; the archive's end does.
  while (at + ENTRY.bytes <= end && uint32(at) === ENTRY.signature) {
    const size = uint32(at + ENTRY.size);
    const compressed = uint32(at + ENTRY.compressed);
    const isDeflated = uint16(at + ENTRY.method) === DEFLATED;
    const hasDescriptor = (uint16(at + ENTRY.flags) & HAS_DESCRIPTOR) !== 0;
    const isUnknown = size === 0 ? compressed > NEGLIGIBLE : compressed === 0;
    const isUnbounded = isDeflated && (isUnknown || (compressed === 0 && hasDescriptor));
    files.push({
      start: startOfData(uint32(at + ENTRY.headerOffset)),
      compressed,
      isDeflated,
      // Files may overlap, and one that expands to nothing is read whole nevertheless.
      size: isUnbounded ? Number.POSITIVE_INFINITY : Math.max(size, compressed),
    });
    const lengths = [ENTRY.nameLength, ENTRY.extraLength, ENTRY.commentLength];
    at += lengths.reduce((sum, length) => sum + uint16(at + length), ENTRY.bytes);
  }
  return files;
}

type Meter = {
  mostBytes: number;
  /** Throws. */
  onTooMuch: () => never;
  /** Called with the start of the data of a file, before each time that it is read. */
  onFile: (start: number) => void;
};

/**
 * Returns the bytes of a ZIP archive for a reader. `onTooMuch` is called when the archive is opened if its files expand to more
 * than the limit, or when they do since the reader reads some of them again and again.
 */
export function meteredWorkbookArchive(
  archive: Uint8Array,
  files: readonly ArchivedFile[],
  { mostBytes, onTooMuch, onFile }: Meter,
): Uint8Array {
  const sum = files.reduce((total, { size }) => total + size, 0);
  if (sum > mostBytes) onTooMuch();
  const sizes = new Map(files.map(({ start, size }) => [start, size]));
  return new MeteredBytes(archive, (start) => {
    mostBytes -= EACH_FILE + (sizes.get(start) ?? 0);
    if (mostBytes < 0) onTooMuch();
    onFile(start);
  });
}

/** Bytes that announce each part that is taken of them. */
class MeteredBytes extends Uint8Array {
  readonly #onPart: (start: number) => void;

  constructor({ buffer, byteOffset, length }: Uint8Array, onPart: (start: number) => void) {
    super(buffer as ArrayBuffer, byteOffset, length);
    this.#onPart = onPart;
  }

  static get [Symbol.species]() {
    return Uint8Array;
  }

  override subarray(start = 0, end = this.length): Uint8Array<ArrayBuffer> {
    this.#onPart(start);
    return new Uint8Array(this.buffer, this.byteOffset + start, end - start);
  }
}
