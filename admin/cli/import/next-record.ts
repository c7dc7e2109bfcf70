import { granularities } from '../../../src/spool/batch.ts'
import { maxEventDate } from '../../../src/spool/bucket.ts'

/** Separator, date and the length of the granularity's name. */
const prefixBytes = 13
const separator = 0x0a

/**
 * Where the next `.thrift` record may begin: a separator, a date of the years 1970 to 9999 and the name of a
 * granularity. The format has no lengths around records, so this is the only way past damage.
 * @returns the end of the bytes without one
 */
export const nextRecord = (bytes: Uint8Array, from: number): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = bytes.indexOf(separator, from); at >= 0; at = bytes.indexOf(separator, at + 1)) {
    if (at + prefixBytes > bytes.length) break
    const length = view.getInt32(at + 9)
    if (length < 1 || length > longestName) continue
    const date = Number(view.getBigInt64(at + 1))
    if (date < 0 || date > maxEventDate) continue
    const name = Buffer.from(bytes.subarray(at + prefixBytes, at + prefixBytes + length)).toString('latin1')
    if (names.has(name)) return at
  }
  return bytes.length
}

const names: ReadonlySet<string> = new Set(granularities)
const longestName = Math.max(...granularities.map(name => name.length))
