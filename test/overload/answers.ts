/** One answer: its status, where it ends, and whether the server closes the connection after it. */
export type Answer = { readonly status: number; readonly end: number; readonly closes: boolean }

/**
 * Reads answers one after another, mostly without looking at them: all answers of one status have one length once the
 * first is known, and the end of the head shows that the next one has it too.
 */
export const createAnswerReader = (): ((bytes: Buffer, start: number) => Answer | undefined) => {
  const known = new Map<number, { readonly head: number; readonly body: number; readonly closes: boolean }>()
  return (bytes, start) => {
    if (bytes.length < start + statusEnd) return undefined
    const status = toDigit(bytes[start + 9]) * 100 + toDigit(bytes[start + 10]) * 10 + toDigit(bytes[start + 11])
    const usual = known.get(status)
    if (usual && isHeadEnd(bytes, start + usual.head)) {
      const end = start + usual.head + usual.body
      return end <= bytes.length ? { status, end, closes: usual.closes } : undefined
    }
    const headEnd = bytes.indexOf('\r\n\r\n', start)
    if (headEnd === -1) return undefined
    const text = bytes.toString('latin1', start, headEnd)
    const length = /^content-length: *(\d+)/im.exec(text)?.[1]
    if (!text.startsWith('HTTP/1.1 ') || length === undefined) throw new Error(`This is no answer: ${text}`)
    const closes = /^connection: *close/im.test(text)
    const head = headEnd + 4 - start
    known.set(status, { head, body: Number(length), closes })
    const end = start + head + Number(length)
    return end <= bytes.length ? { status, end, closes } : undefined
  }
}

/** `HTTP/1.1 202` */
const statusEnd = 12

const toDigit = (byte: number | undefined): number => (byte ?? 0) - 0x30

const isHeadEnd = (bytes: Buffer, end: number): boolean =>
  bytes[end - 4] === 0x0d && bytes[end - 3] === 0x0a && bytes[end - 2] === 0x0d && bytes[end - 1] === 0x0a
