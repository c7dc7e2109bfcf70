/**
 * A stored idempotency key: digests, and the outcome that a repetition gets. On the disk, numbers big-endian:
 *
 *     16 bytes  of the SHA-256 of the key
 *     8 bytes   of the SHA-256 of the request's fingerprint
 *     f64       when it was kept, ms since the epoch
 *     u32 u32   events accepted and rejected
 *     u32 n     the errors as JSON, UTF-8; 0 without errors
 */
import { createHash } from 'node:crypto'
import type { KeptKey, Outcome, Rejection } from '../batch.ts'
import { digestBytes, type RowForm, type WindowRow } from './row-form.ts'

const fingerprintBytes = 8

/** Most bytes of one request's errors; what is beyond is left out of the answer to a repetition. */
const maxErrorBytes = 16 << 10

/** Where the columns of a head begin. */
const column = { fingerprint: digestBytes, at: 24, accepted: 32, rejected: 36 } as const

/** Rows of idempotency keys; a tail has the errors. */
export const keyForm: RowForm = { headBytes: 40, timeAt: column.at, hasTails: true }

export const digestOf = (key: string): Uint8Array => sha256(key).subarray(0, digestBytes)

const fingerprintOf = (fingerprint: string): Uint8Array => sha256(fingerprint).subarray(0, fingerprintBytes)

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest()

const viewOf = ({ head }: WindowRow): DataView => new DataView(head.buffer, head.byteOffset, head.byteLength)

export const toKeyRow = ({ key, fingerprint, outcome, at }: KeptKey): WindowRow => {
  const row = { head: new Uint8Array(keyForm.headBytes), tail: encodeErrors(outcome.errors) }
  row.head.set(digestOf(key))
  row.head.set(fingerprintOf(fingerprint), column.fingerprint)
  const view = viewOf(row)
  view.setFloat64(column.at, at)
  view.setUint32(column.accepted, outcome.accepted)
  view.setUint32(column.rejected, outcome.rejected)
  return row
}

/** Whether the first request with the key had this fingerprint. */
export const hasFingerprint = ({ head }: WindowRow, text: string): boolean =>
  Buffer.compare(head.subarray(column.fingerprint, column.fingerprint + fingerprintBytes), fingerprintOf(text)) === 0

/** What the first request was answered. */
export const toKeyOutcome = (row: WindowRow): Outcome => {
  const view = viewOf(row)
  return {
    accepted: view.getUint32(column.accepted),
    rejected: view.getUint32(column.rejected),
    errors: row.tail ? (JSON.parse(Buffer.from(row.tail).toString()) as Rejection[]) : [],
  }
}

const encodeErrors = (errors: readonly Rejection[]): Uint8Array | undefined => {
  for (let count = errors.length; count > 0; count = Math.floor(count / 2)) {
    const bytes = Buffer.from(JSON.stringify(errors.slice(0, count)))
    if (bytes.length <= maxErrorBytes) return bytes
  }
  return undefined
}
