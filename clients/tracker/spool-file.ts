/**
 * A file of the spool: frames, nothing between them.
 *
 *     u32 BE   length of the record
 *     u32 BE   CRC-32 of the record
 *     n bytes  record
 *
 * What a crash tore off, or a disk changed, does not fit its CRC: the valid prefix ends before it. Names say the rest:
 *
 *     <number, 12 digits>-<uuid><halves>.<form>.<open|ready>      halves: ".0" or ".1" for each time it was split
 */
import { crc32 } from 'node:zlib'

/** What a file's name says. */
export type SpoolName = {
  readonly number: number
  readonly uuid: string
  readonly halves: string
  readonly form: string
  readonly state: 'open' | 'ready'
}

export const frameHeaderBytes = 8

const nameForm = /^(\d{12})-([0-9a-f-]{36})((?:\.[01])*)\.([a-z0-9]+)\.(open|ready)$/

export const toFileName = ({ number, uuid, halves, form, state }: SpoolName): string =>
  `${String(number).padStart(12, '0')}-${uuid}${halves}.${form}.${state}`

/** Undefined when it is not a file of a spool. */
export const parseFileName = (name: string): SpoolName | undefined => {
  const [, number, uuid = '', halves = '', form = '', state] = nameForm.exec(name) ?? []
  if (number === undefined) return undefined
  return { number: Number(number), uuid, halves, form, state: state === 'open' ? 'open' : 'ready' }
}

/** The idempotency key of the file's batch: it follows from the name, so it outlives restarts. */
export const toKey = ({ uuid, halves }: SpoolName): string => `${uuid}${halves}`

/** Appends the records' frames to one another. */
export const toFrames = (records: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(records.reduce((sum, record) => sum + frameHeaderBytes + record.length, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const record of records) {
    view.setUint32(at, record.length)
    view.setUint32(at + 4, crc32(record))
    bytes.set(record, at + frameHeaderBytes)
    at += frameHeaderBytes + record.length
  }
  return bytes
}

/** The records of the valid prefix, as views, and where it ends. */
export const readFrames = (bytes: Uint8Array): { readonly records: Uint8Array[]; readonly end: number } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const records: Uint8Array[] = []
  let end = 0
  while (end + frameHeaderBytes <= bytes.length) {
    const from = end + frameHeaderBytes
    const to = from + view.getUint32(end)
    if (to > bytes.length || crc32(bytes.subarray(from, to)) !== view.getUint32(end + 4)) break
    records.push(bytes.subarray(from, to))
    end = to
  }
  return { records, end }
}
