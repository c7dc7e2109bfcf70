import { SluiceError } from '../../errors.ts'
import { closeBrace } from '../../formats/json-grammar.ts'
import { isSpace } from './json-walk.ts'

/** The most bytes that are written for a body: far more than it has only where much is beside many small events. */
export const maxWritten = (sent: number): number => 16 * sent + 1024 * 1024

/** Writes an array of envelopes around payloads that are copied. */
export const createEnvelopes = (most: number, addBytes: (bytes: number) => void = () => {}) => {
  const pieces: Uint8Array[] = []
  let length = 0
  const append = (piece: Uint8Array): void => {
    length += piece.length
    if (length > most - 1) {
      throw new SluiceError('too-large', 'The members beside the events are too large: they are repeated in each event')
    }
    addBytes(piece.length)
    pieces.push(piece)
  }
  return {
    add(name: string, payload: Uint8Array): void {
      append(length === 0 ? openList : nextItem)
      append(headOf(name))
      append(payload)
      append(endOfEnvelope)
    },
    bytes(): Buffer {
      pieces.push(length === 0 ? noEnvelope : endOfList)
      return Buffer.concat(pieces)
    },
  }
}

/** Most events have one of a few names. */
const heads = new Map<string, Buffer>()
const maxKeptHeads = 1_000

const headOf = (name: string): Buffer => {
  const known = heads.get(name)
  if (known) return known
  const head = Buffer.from(`{"eventName":${JSON.stringify(name)},"payload":`)
  if (heads.size < maxKeptHeads) heads.set(name, head)
  return head
}

const openList = Buffer.from('[')
const nextItem = Buffer.from(',')
const endOfEnvelope = Buffer.from('}')
const endOfList = Buffer.from(']')
const noEnvelope = Buffer.from('[]')

/** An object with more members before its own. */
export const withMembers = (more: string, object: Buffer): Buffer => {
  if (more === '') return object
  const rest = object.subarray(1)
  return Buffer.concat([Buffer.from(isEmptyObject(rest) ? `{${more}` : `{${more},`), rest])
}

/** @param rest of an object after its brace */
const isEmptyObject = (rest: Buffer): boolean => {
  let at = 0
  while (isSpace(rest[at])) at++
  return rest[at] === closeBrace
}
