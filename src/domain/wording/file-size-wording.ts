/** `3.1 MB`, `120 MB`, `1.4 GB`: a number of bytes, in decimal units. */
export const fileSizeWording = (bytes: number): string =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
