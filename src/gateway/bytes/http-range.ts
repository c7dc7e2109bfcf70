/** A part of a file: `offset` and `length` in bytes. */
export type ByteRange = { readonly offset: number; readonly length: number }

/**
 * Which part of `size` bytes a `Range` header asks for (RFC 9110 section 14.2). Undefined where the header is to be
 * ignored: absent, another unit, malformed, or several ranges, which a server may answer with the whole.
 * @returns `unsatisfiable` when the range begins beyond the end
 */
export const parseByteRange = (header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined => {
  const [, from, to] = /^bytes=[ \t]*(\d{0,16})[ \t]*-[ \t]*(\d{0,16})[ \t]*$/i.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length }
  }
  const [first, last] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)]
  if (first > last) return undefined
  if (first >= size) return 'unsatisfiable'
  return { offset: first, length: Math.min(last, size - 1) - first + 1 }
}
