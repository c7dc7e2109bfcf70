/** Changes the bytes of a connection on their way, so that others can neither read nor change them. */
export type Protection = {
  /** What is sent in place of these. */
  seal(parts: readonly Uint8Array[]): readonly Uint8Array[]
  /** What is in the bytes that arrived, and in those before; they are not kept. @throws FormatError they are damaged */
  open(bytes: Buffer): readonly Buffer[]
}
