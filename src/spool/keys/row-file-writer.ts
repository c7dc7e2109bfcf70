import type { AppendFile, Disk } from '../../disk/disk.ts'
import { encodeHeader, formats } from '../framing/format-header.ts'
import { toFrame } from '../framing/framing.ts'
import { type RowFile, rowPath } from './found-rows.ts'
import { encodeRows, type RowKind, type WindowRow } from './row-form.ts'

/** Rows of one frame, some 180 KB at most. */
const rowsPerFrame = 4_096

/** Writes rows to the newest file. One call at a time. */
export type RowFileWriter = {
  /** Resolves to how many rows the file has then, when they are synced and it will be found. */
  append(rows: Iterable<WindowRow>): Promise<number>
  /** Ends the file: the next rows begin another one. */
  leave(): Promise<void>
}

/** @param next makes the next file known */
export const createRowFileWriter = (
  disk: Disk,
  { format, form, name }: RowKind,
  next: () => RowFile,
): RowFileWriter => {
  let current: { readonly file: AppendFile; readonly written: RowFile } | undefined

  const open = async (): Promise<NonNullable<typeof current>> => {
    await disk.mkdir(format)
    const written = next()
    const file = await disk.create(rowPath({ format }, written.number))
    try {
      await file.append(encodeHeader(format))
      await disk.fsyncDir(format)
      await disk.fsyncDir('.')
    } catch (error) {
      await file.close().catch(() => {})
      throw error
    }
    return { file, written }
  }
  const leave = async (): Promise<void> => {
    const old = current
    current = undefined
    await old?.file.close().catch(() => {})
  }
  return {
    append: async rows => {
      current ??= await open()
      const { file, written } = current
      try {
        let end = 0
        for (const lot of inLots(rows)) {
          end = await file.append(toFrame(formats[format].frames.rows, encodeRows(form, lot)))
          written.rows += lot.length
        }
        const safe = await file.fdatasync()
        if (safe < end) throw new Error(`The ${name} are safe up to ${safe} of ${end} bytes`)
      } catch (error) {
        // What the file holds is unknown now: the rows are repeated in the next one.
        await leave()
        throw error
      }
      return written.rows
    },
    leave,
  }
}

function* inLots(rows: Iterable<WindowRow>): Generator<readonly WindowRow[], void, undefined> {
  let lot: WindowRow[] = []
  for (const row of rows) {
    if (lot.push(row) < rowsPerFrame) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}
