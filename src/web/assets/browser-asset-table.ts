import { brotliDecompressSync, gzipSync } from "node:zlib";
import { bundledAssets } from "./asset-bundle.ts";
import type { BundledAsset } from "./bundled-asset.ts";

/** A file with its content in every encoding that can be sent. */
type Asset = {
  mediaType: string;
  /** Returns the bytes in an encoding. Each encoding is computed once. */
  bytes(encoding: Encoding): Uint8Array<ArrayBuffer>;
};
export type Encoding = "br" | "gzip" | "identity";

/** The files that pages load, at URLs that contain a hash of their content. */
type AssetTable = {
  /** Returns the file for the last segment of a URL, such as `embed-0f3c….css`. */
  find(file: string): Asset | undefined;
  /** Returns the last segment of the URL of a file. Throws for an unknown name. */
  fileOf(name: string): string;
  /** Returns the content of the file, for pages that inline it. */
  textOf(name: string): string;
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

let loading: Promise<AssetTable> | undefined;

/** The table of the bundled files, built at the first request so that it does not delay the start. */
export function browserAssetTable(): Promise<AssetTable> {
  loading ??= bundledAssets().then(tableOf);
  return loading;
}

function tableOf(bundled: readonly BundledAsset[]): AssetTable {
  const files = new Map<string, string>();
  const assets = new Map<string, Asset>();
  for (const { name, hash, brotli } of bundled) {
    const [, stem, extension] = /^(.+)\.(\w+)$/.exec(name)!;
    const file = `${stem}-${hash}.${extension}`;
    files.set(name, file);
    assets.set(file, { mediaType: MEDIA_TYPES[extension!]!, bytes: encodings(brotli) });
  }
  const fileOf = (name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`nothing is bundled under the name ${name}`);
    return file;
  };
  return {
    find: (file) => assets.get(file),
    fileOf,
    textOf: (name) => new TextDecoder().decode(assets.get(fileOf(name))!.bytes("identity")),
  };
}

function encodings(base64: string): Asset["bytes"] {
  const made = new Map<Encoding, Uint8Array<ArrayBuffer>>();
  const make = (encoding: Encoding): Uint8Array<ArrayBuffer> => {
    if (encoding === "br") return Uint8Array.from(Buffer.from(base64, "base64"));
    const plain =
      made.get("identity") ?? Uint8Array.from(brotliDecompressSync(Buffer.from(base64, "base64")));
    made.set("identity", plain);
    return encoding === "identity" ? plain : Uint8Array.from(gzipSync(plain, { level: 9 }));
  };
  return (encoding) => {
    const bytes = made.get(encoding) ?? make(encoding);
    made.set(encoding, bytes);
    return bytes;
  };
}
