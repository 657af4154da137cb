/** The numbers of the ZIP format that lead to the directory of an archive, and the places of its fields. */
const END = { signature: 0x06054b50, bytes: 22, directoryOffset: 16, mostComment: 65_535 };
const ENTRY = {
  ...{ signature: 0x02014b50, bytes: 46, flags: 8, method: 10, compressed: 20, size: 24 },
  ...{ nameLength: 28, extraLength: 30, commentLength: 32 },
};
const DEFLATED = 8;
const HAS_DESCRIPTOR = 8;
/** So few bytes expand to a few kilobytes at most. */
const NEGLIGIBLE = 64;

/**
 * Returns how many bytes the files of a ZIP archive have when they are expanded, by its directory: the reader expands none
 * beyond that. Infinity if the directory does not say so of a file; undefined if there is no directory.
 */
export function expandedBytes(archive: Buffer): number | undefined {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END.signature);
  const last = archive.length - END.bytes;
  const end = last < 0 ? -1 : archive.lastIndexOf(signature, last);
  if (end < 0 || end < last - END.mostComment) return undefined;
  let total = 0;
  let at = archive.readUInt32LE(end + END.directoryOffset);
  // An entry count would not bound the entries that the reader finds; the archive's end does.
  while (at + ENTRY.bytes <= end && archive.readUInt32LE(at) === ENTRY.signature) {
    const size = archive.readUInt32LE(at + ENTRY.size);
    const compressed = archive.readUInt32LE(at + ENTRY.compressed);
    const isDeflated = archive.readUInt16LE(at + ENTRY.method) === DEFLATED;
    const hasDescriptor = (archive.readUInt16LE(at + ENTRY.flags) & HAS_DESCRIPTOR) !== 0;
    const isUnknown = size === 0 ? compressed > NEGLIGIBLE : compressed === 0;
    if (isDeflated && (isUnknown || (compressed === 0 && hasDescriptor))) return Number.POSITIVE_INFINITY;
    total += size;
    const lengths = [ENTRY.nameLength, ENTRY.extraLength, ENTRY.commentLength];
    at += lengths.reduce((sum, length) => sum + archive.readUInt16LE(at + length), ENTRY.bytes);
  }
  return total;
}
