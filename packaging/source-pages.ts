import { join } from "node:path";
import { plugin } from "bun";
import { BUNDLED_MODULE } from "./pages.ts";

/* Preloaded by bunfig.toml: when Mainstay runs from source, the assets are bundled on the first request. */

const PAGES = join(import.meta.dir, "pages.ts");

plugin({
  name: "pages bundled from the sources",
  setup(build) {
    build.onLoad({ filter: BUNDLED_MODULE }, () => ({
      loader: "ts",
      contents: `export async function bundledAssets() {
        const { bundlePages } = await import(${JSON.stringify(PAGES)});
        return (await bundlePages("quick")).assets;
      }`,
    }));
  },
});
