/** Texts that were read from bytes are remembered up to this length, */
const maxBytes = 128

/** and so many of them; a power of 2. */
const places = 4_096

/** Reads text that comes again and again, such as names of events, from UTF-8. */
export type TextMemory = {
  read(bytes: Uint8Array, start: number, end: number): string
}

/** A text has one place to be remembered at; the last one that wanted it has it. */
export const createTextMemory = (): TextMemory => {
  const known: ({ readonly bytes: Uint8Array; readonly text: string } | undefined)[] = Array.from(
    { length: places },
    () => undefined,
  )
  return {
    read: (bytes, start, end) => {
      if (end - start > maxBytes) return decoder.decode(bytes.subarray(start, end))
      let hash = 0
      for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), hashPrime)
      const place = (hash >>> 16) & (places - 1)
      const last = known[place]
      if (last && isSame(last.bytes, bytes, start, end)) return last.text
      const copy = new Uint8Array(bytes.subarray(start, end))
      const text = decoder.decode(copy)
      known[place] = { bytes: copy, text }
      return text
    },
  }
}

const isSame = (known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean => {
  if (known.length !== end - start) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[start + i]) return false
  return true
}

const decoder = new TextDecoder()

/** Of FNV-1a. */
const hashPrime = 0x01000193
