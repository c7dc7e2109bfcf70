/**
 * Changes the bytes of a connection on their way, so that others can neither read nor change them. It is done in steps of
 * about a millisecond at most, each an item of what is returned, and nothing is done before it is asked for.
 */
export type Protection = {
  /** What is sent in place of these, in new memory. */
  seal(parts: readonly Uint8Array[]): Iterable<Uint8Array>
  /**
   * What is in the bytes that arrived, and in those before; undefined for a step without a result. They are not kept once
   * all steps are done. Steps throw FormatError for what is damaged.
   */
  open(bytes: Buffer): Iterable<Buffer | undefined>
}
