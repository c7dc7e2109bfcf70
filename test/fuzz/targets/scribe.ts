import { readFileSync } from 'node:fs'
import { createFb303 } from '../../../src/collector/scribe/fb303.ts'
import { readLogCall } from '../../../src/collector/scribe/log-call.ts'
import { parseLogMessage } from '../../../src/collector/scribe/log-message.ts'
import { runAtOnce } from '../../../src/collector/work-turns.ts'
import { FormatError, SluiceError } from '../../../src/errors.ts'
import { readRecords } from '../../../src/formats/thrift/envelope-stream.ts'
import { checkFieldList } from '../../../src/formats/thrift/field-list.ts'
import { encodeMessage, openMessage } from '../../../src/formats/thrift/message.ts'
import { MessageSplitter } from '../../../src/formats/thrift/message-splitter.ts'

/** A stream of calls: split the same however it is cut; what is kept of a call can be read as it will be. */
export const name = 'scribe'

const maxBytes = 65_536
const receivedAt = 1_580_612_645_006

const log = (message: string): string =>
  `80010001000000034c6f67000000000f00010c000000010b00010000000548656c6c6f0b0002${hexOf(message)}0000`
const hexOf = (text: string): string => {
  const bytes = Buffer.from(text)
  return bytes.length.toString(16).padStart(8, '0') + bytes.toString('hex')
}

/** Calls in both styles and transports, with every form of message. */
export const corpus = (): Uint8Array[] => [
  readFileSync(new URL('../../fixtures/scribe/opsalert-nonstrict.frame', import.meta.url)),
  ...[
    '1230865445006:CwABAAAABVdvcmxkAA==',
    '1:rO0ABXc3AAAAMwAAAR6VTDCOAAAABkhPVVJMWQsAAAAAAAVIZWxsbwsAAQAAAA0LAAEAAAAFV29ybGQAAA==',
    '1230865445006:text: of any kind',
    'no form',
  ].map(message => Buffer.from(log(message), 'hex')),
  Buffer.from('0000001480010001000000076765744e616d650000000000', 'hex'),
  Buffer.from('000000097365744f7074696f6e01000000000b000100000001610b0002000000016200', 'hex'),
  // Other fields and containers, which are skipped.
  Buffer.from(
    '000000034c6f6701000000000d00020b080000000100000001610000000f0f00010c00000001000f00030b000000010000000000',
    'hex',
  ),
]

/** @throws FormatError, SluiceError, and whatever is a finding */
export const run = (bytes: Uint8Array): void => {
  const whole = split(bytes, bytes.length)
  const pieces = split(bytes, 1 + (bytes.length % 13))
  if (whole.join() !== pieces.join()) throw new Error('the cuts decide what is read')
  for (const hex of whole) tried(() => answer(Buffer.from(hex, 'hex')))
  const message = parseLogMessage('Hello', bytes, receivedAt)
  if (typeof message !== 'string' && checkFieldList(message.payload) !== message.payload.length) {
    throw new Error('a payload that is not one field list')
  }
}

/** Messages as hex, and at the end whether the stream was damaged. */
const split = (bytes: Uint8Array, step: number): string[] => {
  const splitter = new MessageSplitter(maxBytes)
  const found: string[] = []
  try {
    for (let at = 0; at < bytes.length; at += step) {
      splitter.push(bytes.slice(at, at + step))
      for (let next = splitter.next(); next; next = splitter.next()) found.push(Buffer.from(next.bytes).toString('hex'))
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    found.push('damaged')
  }
  return found.filter(one => one !== '')
}

const answer = (bytes: Uint8Array): void => {
  const { header, reader } = openMessage(bytes)
  const write = createFb303(() => ({ received: 1 }), 1).call(header.name, reader)
  if (write) encodeMessage(header, write)
  if (header.name !== 'Log') return
  const { parsed } = runAtOnce(readLogCall(reader, receivedAt, { maxEvents: 1_000, maxValues: 1_000 }))
  const records = [...readRecords(parsed.body)]
  if (records.length !== parsed.events.length) throw new Error(`${records.length} records of ${parsed.events.length}`)
  for (const { payload } of records) {
    if (checkFieldList(payload) !== payload.length) throw new Error('a payload that is not one field list')
  }
}

const tried = (action: () => void): void => {
  try {
    action()
  } catch (error) {
    if (!(error instanceof FormatError) && !(error instanceof SluiceError)) throw error
  }
}
