/** A file that browsers load, under a name that pages know it by, with the hash of its content. */
export type BundledAsset = {
  name: string;
  hash: string;
  /** The content compressed with Brotli, in base64. */
  brotli: string;
};

/**
 * Every file that browsers load. The executable has them inside: the build puts them in place of this function, which
 * makes them from the sources.
 */
export async function bundledAssets(): Promise<BundledAsset[]> {
  const { bundlePages } = await import("../../../packaging/pages.ts");
  return (await bundlePages()).assets;
}
