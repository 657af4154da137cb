import type { BundledAsset } from "./bundled-asset.ts";

/**
 * Every file that browsers load. The executable has them inside: the build puts them in place of this function, which
 * makes them from the sources.
 */
export async function bundledAssets(): Promise<BundledAsset[]> {
  const { bundlePages } = await import("../../../packaging/pages.ts");
  return (await bundlePages("quick")).assets;
}
