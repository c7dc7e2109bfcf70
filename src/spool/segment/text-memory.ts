/** Texts that were read from bytes are remembered up to this length, */
const maxBytes = 128

/**
 * and twice as many of them. Several times as many as there are names: else most push each other out, and what was
 * remembered is garbage that has become old.
 */
const pairBits = 14
const pairs = 1 << pairBits
const unusedBits = 32 - pairBits

/** Reads recurring text, such as names of events, from UTF-8. */
export type TextMemory = {
  read(bytes: Uint8Array, start: number, end: number): string
}

type Known = { readonly bytes: Uint8Array; readonly text: string }

/** A text has a pair of places to be remembered at; the last two that wanted it have it, the later one first. */
export const createTextMemory = (): TextMemory => {
  const known: (Known | undefined)[] = Array.from({ length: 2 * pairs }, () => undefined)
  return {
    read: (bytes, start, end) => {
      if (end - start > maxBytes) return decoder.decode(bytes.subarray(start, end))
      let hash = 0
      for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), hashPrime)
      const place = 2 * (Math.imul(hash ^ (hash >>> 15), spread) >>> unusedBits)
      const later = known[place]
      const earlier = known[place + 1]
      if (later && isSame(later.bytes, bytes, start, end)) return later.text
      if (earlier && isSame(earlier.bytes, bytes, start, end)) return earlier.text
      const copy = new Uint8Array(bytes.subarray(start, end))
      const text = decoder.decode(copy)
      known[place] = { bytes: copy, text }
      known[place + 1] = later
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

/** Brings what only the last bytes have changed to the first bits, which count: 2^32 by the golden ratio. */
const spread = 0x9e3779b1
