/** A file that browsers load, under a name that pages know it by, with the hash of its content. */
export type BundledAsset = {
  name: string;
  hash: string;
  /** The content compressed with Brotli, in base64. */
  brotli: string;
};
