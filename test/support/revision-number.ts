/** Returns the number in a revision, which each change of the partner's data raises by one. */
export const revisionNumber = (revision: string | undefined): number => Number(revision!.split(":").at(-1));
