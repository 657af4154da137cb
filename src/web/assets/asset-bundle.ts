import type { BundledAsset } from "./bundled-asset.ts";

/**
 * Returns every file that browsers load. The packaging replaces this module: the build embeds the files in the
 * executable, and `bunfig.toml` preloads a plugin that bundles them when the program runs from source.
 */
export function bundledAssets(): Promise<BundledAsset[]> {
  return Promise.reject(
    new Error(
      "No page is bundled. Run the sources from the repository's root, so that Bun reads bunfig.toml.",
    ),
  );
}
