// node-only: Buffer
/** From here on a call of native code is worth it, in bytes. */
const leastBytes = 256

/**
 * Copies `from` into `to`, at `at`, where it has to fit. In memory that threads share, `set` goes from word to word, as
 * an atomic operation each, and takes ten times as long.
 */
export const copyBytes = (from: Uint8Array, to: Uint8Array, at: number): void => {
  if (from.length < leastBytes) to.set(from, at)
  // Of Node's copies this is the one that does not end in `set`: as many bytes to fill as there are to fill them with.
  else Buffer.prototype.fill.call(to, from, at, at + from.length)
}
