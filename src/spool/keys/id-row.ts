/**
 * A stored id of an event. On the disk, numbers big-endian:
 *
 *     16 bytes  the id as in the record of its event
 *     f64       when it was kept, ms since the epoch
 */
import { eventIdBytes } from '../event-ids.ts'
import { digestBytes, type RowForm, type WindowRow } from './row-form.ts'

/** Rows of event ids. */
export const idForm: RowForm = { headBytes: 24, timeAt: digestBytes, hasTails: false }

/** The row of the id that begins there. */
export const toIdRow = (ids: Uint8Array, start: number, at: number): WindowRow => {
  const head = new Uint8Array(idForm.headBytes)
  for (let i = 0; i < eventIdBytes; i++) head[i] = ids[start + i] ?? 0
  new DataView(head.buffer).setFloat64(idForm.timeAt, at)
  return { head }
}
