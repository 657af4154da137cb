/** The contents of a bundle: its files and their imports. */
export type Contents = NonNullable<Bun.BuildOutput["metafile"]>;
