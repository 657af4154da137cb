/** A file that browsers load, with the name that pages use and the hash of its content. */
export type BundledAsset = {
  name: string;
  hash: string;
  /** The content compressed with Brotli, in base64. */
  brotli: string;
};
