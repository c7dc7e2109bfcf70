/**
 * CSV (RFC 4180) with a header, of which a parameter says the event name: each further line is an event, and its fields are
 * texts, exactly as sent. A table that is damaged anywhere is refused whole.
 */
import { isUtf8 } from 'node:buffer'
import { GrowingBytes } from '../../bytes/growing-bytes.ts'
import { SluiceError } from '../../errors.ts'
import { tooManyValues } from '../event-limits.ts'
import type { BodyDefaults } from '../formats/intake-format.ts'
import { tooManyEvents } from '../parsed.ts'
import { quoteClient } from '../parsers/event-date.ts'
import type { WorkSteps } from '../work-turns.ts'
import type { DoorParts } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { maxWritten } from './envelopes.ts'

/** `text/csv`. */
export const csv = createDoorFormat({
  door: 'csv',
  api: 'POST_Csv_API',
  mediaTypes: ['text/csv'],
  parameters: 'name-and-date',
  events: ({ name }) => ({ forms: { array: true }, toHead: () => ({ name }) }),
  toJson,
})

function* toJson(body: Buffer, { maxEvents, maxValues }: BodyDefaults, { addBytes }: DoorParts): WorkSteps<Buffer> {
  if (!isUtf8(body)) throw bad('The body is not UTF-8')
  const lines = readLines(body, maxValues)
  const header = lines.next()
  if (header.done === true) throw bad('The body is empty; expected a line with the names of the columns')
  const keys = toKeys(header.value)
  const made = new GrowingBytes(Number.MAX_SAFE_INTEGER)
  // Tables are often sparse: most of what is written for them are the names of their columns.
  const most = 4 * maxWritten(body.length)
  let count = 0
  for (const fields of lines) {
    if (++count > maxEvents) throw tooManyEvents(maxEvents)
    if (fields.length !== keys.length) {
      throw bad(`Line ${count} after the header has ${fields.length} fields; the header has ${keys.length}`)
    }
    const members = keys.map((key, index) => `${key}:${JSON.stringify(fields[index])}`)
    const piece = Buffer.from(`${count === 1 ? '[' : ','}{${members.join(',')}}`)
    if (made.length + piece.length > most) {
      throw new SluiceError('too-large', 'The column names are too large: they are repeated in each event')
    }
    addBytes?.(piece.length)
    made.append(piece)
    yield
  }
  made.append(Buffer.from(count === 0 ? '[]' : ']'))
  return made.bytes()
}

/** Names of columns as JSON. @throws SluiceError `bad-event`: one is empty, or occurs twice */
const toKeys = (names: readonly string[]): readonly string[] => {
  const known = new Set<string>()
  for (const name of names) {
    if (name === '' || known.has(name)) throw bad(`The header has ${quoteClient(name)} twice, or as a name`)
    known.add(name)
  }
  return names.map(name => JSON.stringify(name))
}

const bad = (message: string): SluiceError => new SluiceError('bad-event', message)

const quote = 0x22
const comma = 0x2c
const newline = 0x0a
const carriageReturn = 0x0d

/**
 * The fields of each line, at most `maxFields`; empty lines are skipped. @throws SluiceError `bad-event`, `too-large`
 */
function* readLines(bytes: Buffer, maxFields: number): Generator<string[], void, undefined> {
  let fields: string[] = []
  let at = 0
  while (at < bytes.length) {
    if (fields.length >= maxFields) throw new SluiceError('too-large', tooManyValues(maxFields))
    let end: number
    if (bytes[at] === quote) {
      end = quoteEnd(bytes, at + 1)
      fields.push(bytes.toString('utf8', at + 1, end - 1).replaceAll('""', '"'))
    } else {
      end = at
      while (end < bytes.length && !isEnd(bytes[end])) {
        if (bytes[end] === quote) throw bad(`A quote within a field without quotes, at byte ${end}`)
        end++
      }
      fields.push(bytes.toString('utf8', at, end))
    }
    if (bytes[end] === carriageReturn && (bytes[end + 1] ?? newline) === newline) end++
    const found = bytes[end]
    if (found === comma) {
      at = end + 1
      if (at === bytes.length) fields.push('')
      else continue
    } else if (found !== undefined && found !== newline && found !== carriageReturn) {
      throw bad(`Something other than a comma follows a field, at byte ${end}`)
    }
    at = end + 1
    if (fields.length > 1 || fields[0] !== '') yield fields
    fields = []
  }
  if (fields.length > 0) yield fields
}

const isEnd = (byte: number | undefined): boolean => byte === comma || byte === newline || byte === carriageReturn

/** After the closing quote; within the field each quote is doubled. */
const quoteEnd = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at)) {
    if (bytes[at + 1] !== quote) return at + 1
    at += 2
  }
  throw bad(`The field that begins at byte ${from - 1} has no closing quote`)
}
