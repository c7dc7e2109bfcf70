/** What the bucket files of a segment have at most, until they are written. With little, small ones grow in pieces, too, as tests have it. */
export type BucketBounds = {
  /** Bytes that all encoders together have ready. @default 12 MiB */
  readonly maxReadyBytes?: number
  /** Files that are open beside each other; those of more types are held to the end. @default 256 */
  readonly maxOpenFiles?: number
  /** Bytes of events that encoders hold, where they write many together. @default 40 MiB */
  readonly maxHeldBytes?: number
}
