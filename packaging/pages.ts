import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompressSync, constants } from "node:zlib";
import type { BundledAsset } from "../src/web/assets/bundled-asset.ts";
import type { Contents } from "./contents.ts";

const ROOT = join(import.meta.dir, "..");

/** The assets that are bundled from sources, by name. */
const BUNDLED: Readonly<Record<string, string>> = {
  "app.css": "src/web/app/app.css",
  "app.js": "src/web/app/app.tsx",
  "console.css": "src/web/console/console.css",
  "console.js": "src/web/console/console.tsx",
  "embed.css": "src/web/embed/embed.css",
  "embed.js": "src/web/embed/embed-browser-script.ts",
  "docs.css": "src/web/docs/docs.css",
  "docs.js": "src/web/docs/docs-browser-script.ts",
  "workbook-worker.js": "src/web/app/app-workbook-worker.ts",
  "error-page.css": "src/web/embed/error-page.css",
};
/**
 * Bundles the assets that browsers load: minified, compressed, and named by a hash of the content, so that they can be
 * cached forever. The same sources give the same bytes. `best` uses the highest compression, which takes seconds if no
 * earlier build has cached the result; `quick` is for running from source.
 */
export async function bundlePages(
  how: "best" | "quick",
): Promise<{ assets: BundledAsset[]; contents: Contents }> {
  const contents: Contents = { inputs: {}, outputs: {} };
  const assets: Promise<BundledAsset>[] = [];
  const keep = (name: string, bytes: Uint8Array) => assets.push(packed(name, bytes, how));
  for (const [name, source] of Object.entries(BUNDLED)) {
    const { bytes, metafile } = await bundle(source);
    Object.assign(contents.inputs, metafile.inputs);
    const output = Object.values(metafile.outputs)[0]!;
    // The bundler does not report the inputs of a style sheet: it includes all imports.
    const inputs = name.endsWith(".css") ? all(metafile.inputs) : output.inputs;
    contents.outputs[name] = { ...output, inputs };
    keep(name, bytes);
  }
  return { assets: await Promise.all(assets), contents };
}

const all = (inputs: Contents["inputs"]) =>
  Object.fromEntries(Object.entries(inputs).map(([file, { bytes }]) => [file, { bytesInOutput: bytes }]));

async function bundle(source: string): Promise<{ bytes: Uint8Array; metafile: Contents }> {
  const result = await Bun.build({
    entrypoints: [join(ROOT, source)],
    target: "browser",
    format: "esm",
    minify: true,
    metafile: true,
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
  });
  if (!result.success) throw new AggregateError(result.logs, `${source} could not be bundled`);
  const [output, ...others] = result.outputs;
  if (!output || others.length > 0) throw new Error(`${source} must become one file`);
  return { bytes: new Uint8Array(await output.arrayBuffer()), metafile: result.metafile! };
}

/** Matches the path of the module that the packaging replaces with the bundled files. */
export const BUNDLED_MODULE = /[\\/]src[\\/]web[\\/]assets[\\/]asset-bundle\.ts$/;

/** Returns a plugin that embeds the bundles in the executable. */
export function embeddingPages(assets: readonly BundledAsset[]): Bun.BunPlugin {
  return {
    name: "embedded pages",
    setup(build) {
      build.onLoad({ filter: BUNDLED_MODULE }, () => ({
        loader: "ts",
        contents: `export const bundledAssets = async () => ${JSON.stringify(assets)};`,
      }));
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
}

const compress = promisify(brotliCompress);

async function packed(name: string, bytes: Uint8Array, how: "best" | "quick"): Promise<BundledAsset> {
  const brotli =
    how === "best" ? await cachedOrCompressed(bytes) : await compressed(bytes, constants.BROTLI_MIN_QUALITY);
  return { name, hash: hashOf(bytes), brotli: brotli.toString("base64") };
}

const compressed = (bytes: Uint8Array, quality: number): Promise<Buffer> =>
  compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

/** The cache of compressed assets: compression takes most of the build, and few assets change between builds. */
const CACHE = join(ROOT, "dist", ".compressed");

/** Returns the bytes with the highest compression, from the cache if an earlier build with this runtime compressed them. */
async function cachedOrCompressed(bytes: Uint8Array): Promise<Buffer> {
  const file = join(CACHE, `${hashOf(bytes)}-${Bun.version}.br`);
  const cached = existsSync(file) ? readFileSync(file) : undefined;
  if (cached && decompressesTo(cached, bytes)) return cached;
  const brotli = await compressed(bytes, constants.BROTLI_MAX_QUALITY);
  mkdirSync(CACHE, { recursive: true });
  // Renamed into place, since builds may run concurrently.
  const scratch = mkdtempSync(join(CACHE, ".scratch-"));
  writeFileSync(join(scratch, "br"), brotli);
  renameSync(join(scratch, "br"), file);
  rmSync(scratch, { recursive: true });
  return brotli;
}

function decompressesTo(brotli: Uint8Array, bytes: Uint8Array): boolean {
  try {
    return brotliDecompressSync(brotli).equals(bytes);
  } catch {
    return false;
  }
}
