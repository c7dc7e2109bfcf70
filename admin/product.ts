/** What the server says of itself. */
export type Product = {
  readonly version: string
  /** Version of Node. */
  readonly node: string
  /** The `<vendor>` of bean names. */
  readonly vendor: string
  /** ms since the epoch. */
  readonly startedAt: number
}
