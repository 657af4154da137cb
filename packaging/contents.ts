/** What went into a bundle: its files, and the imports between them. */
export type Contents = NonNullable<Bun.BuildOutput["metafile"]>;
