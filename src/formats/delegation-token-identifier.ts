/**
 * What a delegation token of Hadoop says about itself (`AbstractDelegationTokenIdentifier`): the identifier of a {@link
 * HadoopToken}, which its password vouches for.
 *
 *     byte    0, the version
 *     Text    owner              a vint, then as many bytes of UTF-8
 *     Text    renewer            empty if it cannot be renewed
 *     Text    real user          who got it for the owner; empty where that is the owner
 *     vlong   issued at          ms since 1970
 *     vlong   ends at            ms since 1970, whatever is renewed
 *     vint    sequence number
 *     vint    id of the key that the password was made with
 *
 * A vlong is a vint of up to eight bytes.
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { encodeVint, readVint } from './sequence-file/vint.ts'

export type DelegationTokenIdentifier = {
  readonly owner: string
  readonly renewer: string
  readonly realUser: string
  /** In ms since 1970, as `maxDate`. */
  readonly issueDate: number
  readonly maxDate: number
  readonly sequenceNumber: number
  readonly masterKeyId: number
}

const version = 0
/** Of a name, in UTF-8. A principal has some 300 at most; Hadoop takes a megabyte. */
const maxNameBytes = 1_024
/** Up to here a vlong is one byte, and is the number. */
const maxOneByte = 127
/** A positive number of n bytes is preceded by -112 - n. */
const positiveSizes = -112

/** Writes one. @throws RangeError a name that is too long, or a number outside the range of its kind */
export const encodeDelegationTokenIdentifier = (identifier: DelegationTokenIdentifier): Uint8Array => {
  const { owner, renewer, realUser, issueDate, maxDate, sequenceNumber, masterKeyId } = identifier
  return Buffer.concat([
    Uint8Array.of(version),
    ...[owner, renewer, realUser].map(encodeName),
    ...[issueDate, maxDate].map(encodeDate),
    encodeVint(sequenceNumber),
    encodeVint(masterKeyId),
  ])
}

/** Reads one. @throws FormatError `delegation token` or `vint` for anything else */
export const decodeDelegationTokenIdentifier = (bytes: Uint8Array): DelegationTokenIdentifier => {
  if (bytes[0] !== version) throw fault(0, 'expected version 0')
  const owner = readName(bytes, 1)
  const renewer = readName(bytes, owner.end)
  const realUser = readName(bytes, renewer.end)
  const issueDate = readDate(bytes, realUser.end)
  const maxDate = readDate(bytes, issueDate.end)
  const sequenceNumber = readVint(bytes, maxDate.end)
  const masterKeyId = readVint(bytes, sequenceNumber.end)
  if (masterKeyId.end !== bytes.length) throw fault(masterKeyId.end, 'expected the end')
  return {
    owner: owner.value,
    renewer: renewer.value,
    realUser: realUser.value,
    issueDate: issueDate.value,
    maxDate: maxDate.value,
    sequenceNumber: sequenceNumber.value,
    masterKeyId: masterKeyId.value,
  }
}

type At<Value> = { readonly value: Value; readonly end: number }

const encodeName = (name: string): Uint8Array => {
  const bytes = Buffer.from(name)
  if (bytes.length > maxNameBytes) throw new RangeError(`Cannot write a name of ${bytes.length} bytes`)
  return Buffer.concat([encodeVint(bytes.length), bytes])
}

const readName = (bytes: Uint8Array, at: number): At<string> => {
  const { value: length, end: start } = readVint(bytes, at)
  const end = start + length
  if (length < 0 || length > maxNameBytes || end > bytes.length) {
    throw fault(at, `expected the length of a name, found ${length}`)
  }
  const part = bytes.subarray(start, end)
  try {
    return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part), end }
  } catch (cause) {
    throw new FormatError(format, start, 'expected UTF-8', { cause })
  }
}

const encodeDate = (date: number): Uint8Array => {
  if (!Number.isSafeInteger(date) || date < 0) throw new RangeError(`Cannot write ${date} as a date`)
  if (date <= maxOneByte) return Uint8Array.of(date)
  const digits = date.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Uint8Array.of((positiveSizes - bytes.length) & 0xff), bytes])
}

const readDate = (bytes: Uint8Array, at: number): At<number> => {
  const first = bytes[at]
  if (first === undefined) throw fault(at, 'expected a date, found the end')
  if (first <= maxOneByte) return { value: first, end: at + 1 }
  const count = positiveSizes - ((first << 24) >> 24)
  const end = at + 1 + count
  // Anything else is negative, or beyond what a number holds exactly.
  if (count < 1 || count > 7 || end > bytes.length) throw fault(at, 'expected a date')
  const value = bytes.subarray(at + 1, end).reduce((sum, byte) => sum * 256 + byte, 0)
  if (!Number.isSafeInteger(value)) throw fault(at, 'expected a date, found a larger number')
  return { value, end }
}

const format = 'delegation token'
const fault = (at: number, message: string): FormatError => new FormatError(format, at, message)
