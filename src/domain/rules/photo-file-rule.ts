import type { PhotoType } from "../photo.ts";

/** Returns whether a file name in the uploads folder is a stored photo's, or that of an unfinished upload. */
export function meetsPhotoFileNameRule(name: string): boolean {
  return /^(?:[0-9a-f]{32}\.(jpg|png|webp|heic)|\.[0-9a-f]{32}\.(jpg|png|webp|heic)(\.[0-9a-f]{32})?\.part)$/.test(
    name,
  );
}

const HEIC_BRANDS = new Set(["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"]);

/** Returns the type of a photo by its first bytes; undefined for an unsupported type. */
export function photoTypeByRule(bytes: Uint8Array): PhotoType | undefined {
  const ascii = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "image/jpeg";
  if (bytes[0] === 0x89 && ascii(1, 8) === "PNG\r\n\u001a\n") return "image/png";
  if (ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP") return "image/webp";
  if (ascii(4, 8) === "ftyp" && HEIC_BRANDS.has(ascii(8, 12))) return "image/heic";
  return undefined;
}

/** The characters of a name that are looked at: a request can carry one of megabytes. */
const MOST_NAME_CHARACTERS = 1_000;

/** Returns the file's name without folders and control characters, cut to 200 characters. */
export function photoNameByRule(name: string): string {
  const start = Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1;
  const base = name.slice(start, start + MOST_NAME_CHARACTERS);
  const clean = base.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "").trim();
  return clean === "" || clean === "." || clean === ".." ? "photo" : clean.slice(0, 200).toWellFormed();
}
