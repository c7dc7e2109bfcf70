/** A file, or a directory, that stays as it is, and why. */
export type UnmergedFile = { readonly path: string; readonly reason: string }
