/**
 * Bytes as Smile packs them, 7 bits in each, so that no data byte looks like a marker: 7 raw bytes take 8; r raw bytes
 * at the end take r of 7 bits and one with the last r bits, right-aligned.
 */

/** How many bytes `length` raw bytes take. */
export const packedLength = (length: number): number => {
  const rest = length % 7
  return ((length - rest) / 7) * 8 + (rest === 0 ? 0 : rest + 1)
}

/** Packs raw bytes, and hands over each byte. */
export const pack = (raw: Uint8Array, put: (byte: number) => void): void => {
  let bits = 0
  let count = 0
  for (const byte of raw) {
    bits = ((bits << 8) | byte) & 0x7fff
    count += 8
    while (count >= 7) {
      count -= 7
      put((bits >> count) & 0x7f)
    }
  }
  if (count > 0) put(bits & ((1 << count) - 1))
}

/** Unpacks `length` raw bytes. @param packed exactly their packed bytes, none above 7F */
export const unpack = (packed: Uint8Array, length: number): Uint8Array => {
  const raw = new Uint8Array(length)
  const restBits = length % 7
  let bits = 0
  let count = 0
  let at = 0
  for (let i = 0; i < packed.length; i += 1) {
    const width = i === packed.length - 1 && restBits !== 0 ? restBits : 7
    bits = ((bits << width) | ((packed[i] ?? 0) & ((1 << width) - 1))) & 0x7fff
    count += width
    if (count < 8) continue
    count -= 8
    raw[at] = bits >> count
    at += 1
  }
  return raw
}
