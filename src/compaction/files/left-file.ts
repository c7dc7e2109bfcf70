/** A file, or a directory, that stays as it is, and why. */
export type LeftFile = { readonly path: string; readonly reason: string }
