/** Formats a contrast with one decimal, rounded down, so that 4.49 is not shown as enough. */
export const brandContrastWording = (contrast: number): string =>
  `${(Math.floor(contrast * 10) / 10).toFixed(1)}:1`;
