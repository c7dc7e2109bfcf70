/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), which HDFS has for each few hundred bytes of a file, and snappy for each frame;
 * `zlib.crc32` is another polynomial. Eight bytes a step, by eight tables ("slicing by 8", Kounavis and Berry).
 */
const reversedPolynomial = 0x82f63b78

/** Of each byte, alone and with one to seven bytes after it. */
export const crc32cTables = new Int32Array(8 * 256)
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ reversedPolynomial : crc >>> 1
  crc32cTables[byte] = crc
}
for (let at = 256; at < crc32cTables.length; at++) {
  const before = crc32cTables[at - 256] ?? 0
  crc32cTables[at] = (before >>> 8) ^ (crc32cTables[before & 0xff] ?? 0)
}

/**
 * The CRC of a part of `bytes`, as an unsigned number. What is read of both arrays lies within them, hence the casts.
 * @param before the CRC of the bytes before it
 */
export const crc32c = (bytes: Uint8Array, start = 0, end: number = bytes.length, before = 0): number => {
  if (start < 0 || end > bytes.length) throw new RangeError(`Cannot take the CRC of bytes ${start} to ${end}`)
  const t = crc32cTables
  const b = bytes
  let crc = ~before
  let at = start
  for (; at + 8 <= end; at += 8) {
    const x =
      crc ^
      ((b[at] as number) | ((b[at + 1] as number) << 8) | ((b[at + 2] as number) << 16) | ((b[at + 3] as number) << 24))
    crc =
      (t[0x700 | (x & 0xff)] as number) ^
      (t[0x600 | ((x >>> 8) & 0xff)] as number) ^
      (t[0x500 | ((x >>> 16) & 0xff)] as number) ^
      (t[0x400 | (x >>> 24)] as number) ^
      (t[0x300 | (b[at + 4] as number)] as number) ^
      (t[0x200 | (b[at + 5] as number)] as number) ^
      (t[0x100 | (b[at + 6] as number)] as number) ^
      (t[b[at + 7] as number] as number)
  }
  for (; at < end; at++) crc = (t[(crc ^ (b[at] as number)) & 0xff] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}
