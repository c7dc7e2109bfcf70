/**
 * What is kept of an idempotency key: digests, and the outcome that a repetition gets. On the disk, numbers big-endian:
 *
 *     16 bytes  of the SHA-256 of the key
 *     8 bytes   of the SHA-256 of the request's fingerprint
 *     f64       when it was kept, ms since the epoch
 *     u32 u32   events accepted and rejected
 *     u32 n     the errors as JSON, UTF-8; 0 when there are none
 */
import { createHash } from 'node:crypto'
import { FormatError } from '../../errors.ts'
import type { KeptKey, Outcome, Rejection } from '../batch.ts'

export const digestBytes = 16
export const fingerprintBytes = 8

/** Most bytes of one request's errors; what is beyond is left out of the answer to a repetition. */
const maxErrorBytes = 16 << 10

export type KeyRow = {
  readonly digest: Uint8Array
  readonly fingerprint: Uint8Array
  readonly at: number
  readonly accepted: number
  readonly rejected: number
  /** JSON; undefined when there are none. */
  readonly errors: Uint8Array | undefined
}

export const digestOf = (key: string): Uint8Array => sha256(key).subarray(0, digestBytes)

const fingerprintOf = (fingerprint: string): Uint8Array => sha256(fingerprint).subarray(0, fingerprintBytes)

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest()

export const toKeyRow = ({ key, fingerprint, outcome, at }: KeptKey): KeyRow => ({
  digest: digestOf(key),
  fingerprint: fingerprintOf(fingerprint),
  at,
  accepted: outcome.accepted,
  rejected: outcome.rejected,
  errors: encodeErrors(outcome.errors),
})

/** Whether the first request with the key had this fingerprint. */
export const hasFingerprint = ({ fingerprint }: KeyRow, text: string): boolean =>
  Buffer.compare(fingerprint, fingerprintOf(text)) === 0

/** What the first request was answered. */
export const toKeyOutcome = ({ accepted, rejected, errors }: KeyRow): Outcome => ({
  accepted,
  rejected,
  errors: errors ? (JSON.parse(Buffer.from(errors).toString()) as Rejection[]) : [],
})

const encodeErrors = (errors: readonly Rejection[]): Uint8Array | undefined => {
  for (let count = errors.length; count > 0; count = Math.floor(count / 2)) {
    const bytes = Buffer.from(JSON.stringify(errors.slice(0, count)))
    if (bytes.length <= maxErrorBytes) return bytes
  }
  return undefined
}

const fixedBytes = digestBytes + fingerprintBytes + 20

/** Rows one after another. */
export const encodeRows = (rows: readonly KeyRow[]): Uint8Array => {
  const size = rows.reduce((sum, { errors }) => sum + fixedBytes + (errors?.length ?? 0), 0)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const row of rows) {
    bytes.set(row.digest, at)
    bytes.set(row.fingerprint, at + digestBytes)
    at += digestBytes + fingerprintBytes
    view.setFloat64(at, row.at)
    view.setUint32(at + 8, row.accepted)
    view.setUint32(at + 12, row.rejected)
    view.setUint32(at + 16, row.errors?.length ?? 0)
    if (row.errors) bytes.set(row.errors, at + 20)
    at += 20 + (row.errors?.length ?? 0)
  }
  return bytes
}

/** Reads them back; each is a view of the bytes. @throws FormatError when they end within a row */
export function* decodeRows(bytes: Uint8Array): Generator<KeyRow, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const facts = at + digestBytes + fingerprintBytes
    if (facts + 20 > bytes.length) throw new FormatError('idempotency keys', at, 'the row is cut')
    const errorBytes = view.getUint32(facts + 16)
    const end = facts + 20 + errorBytes
    if (end > bytes.length) throw new FormatError('idempotency keys', at, 'the row is cut')
    yield {
      digest: bytes.subarray(at, at + digestBytes),
      fingerprint: bytes.subarray(at + digestBytes, facts),
      at: view.getFloat64(facts),
      accepted: view.getUint32(facts + 8),
      rejected: view.getUint32(facts + 12),
      errors: errorBytes === 0 ? undefined : bytes.subarray(facts + 20, end),
    }
    at = end
  }
}
