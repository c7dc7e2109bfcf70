/** What is known of a file before its rows are read. */
export type OpenedFile = {
  readonly path: string
  /** In bytes, as it is stored. */
  readonly size: number
  /** In ms since the epoch. */
  readonly modified: number
  /** Bytes, or values where those are more, that it says it unfolds into; absent where it does not say. */
  readonly unfolded?: number | undefined
}

/** What a reader holds anyway, whatever the size of the file. */
const harmless = 64 * 1024 * 1024

/** How often its own size a file unfolds into where compression did well. */
const usualRatio = 50

/** Whether a file unfolds so far beyond its size that it is read apart from others first. */
export const isSuspect = ({ size, unfolded = 0 }: OpenedFile): boolean =>
  unfolded > harmless && unfolded > usualRatio * size

/** A name for a file's current version: a rewritten file gets another one. */
export const toVersion = ({ path, size, modified }: OpenedFile): string => JSON.stringify([path, size, modified])
