import { FormatError } from '../../errors.ts'

/** A row of a window, as bytes: each window knows what they mean. */
export type WindowRow = {
  /** Begins with the digest by which it is found; as long as {@link RowForm.headBytes}. */
  readonly head: Uint8Array
  readonly tail?: Uint8Array | undefined
}

/** How the rows of a window look. On the disk a tail follows its head, after its length as u32, which may be 0. */
export type RowForm = {
  readonly headBytes: number
  /** Where the head has the time of the row, ms since the epoch as f64. */
  readonly timeAt: number
  /** Whether rows may have tails. */
  readonly hasTails: boolean
}

/** What a window remembers. */
export type RowKind = {
  /** Of its files: also their directory, and the end of their names. */
  readonly format: 'keys' | 'ids'
  readonly form: RowForm
  /** For people. */
  readonly name: string
  /** What it means that some are missing, for people. */
  readonly lost: string
}

/** Bytes of a digest. */
export const digestBytes = 16

/** Rows one after another. */
export const encodeRows = ({ headBytes, hasTails }: RowForm, rows: readonly WindowRow[]): Uint8Array => {
  const fixedBytes = headBytes + (hasTails ? 4 : 0)
  const bytes = new Uint8Array(rows.reduce((sum, { tail }) => sum + fixedBytes + (tail?.length ?? 0), 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const { head, tail } of rows) {
    bytes.set(head, at)
    at += fixedBytes
    if (hasTails) view.setUint32(at - 4, tail?.length ?? 0)
    if (tail === undefined) continue
    bytes.set(tail, at)
    at += tail.length
  }
  return bytes
}

/** Reads them back; each is a view of the bytes. @throws FormatError when they end within a row */
export function* decodeRows(
  { headBytes, hasTails }: RowForm,
  bytes: Uint8Array,
): Generator<WindowRow, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fixedBytes = headBytes + (hasTails ? 4 : 0)
  for (let at = 0; at < bytes.length; ) {
    const tailAt = at + fixedBytes
    if (tailAt > bytes.length) throw new FormatError('remembered rows', at, 'the row is cut')
    const tailBytes = hasTails ? view.getUint32(tailAt - 4) : 0
    const end = tailAt + tailBytes
    if (end > bytes.length) throw new FormatError('remembered rows', at, 'the row is cut')
    const head = bytes.subarray(at, at + headBytes)
    yield tailBytes === 0 ? { head } : { head, tail: bytes.subarray(tailAt, end) }
    at = end
  }
}
