import { isUtf8 } from 'node:buffer'
import { FormatError, SluiceError } from '../../errors.ts'
import { parseJson } from '../../formats/json.ts'
import { splitJsonSequence } from '../../formats/json-sequence.ts'
import type { Value } from '../../formats/number.ts'
import type { EventHead } from '../../spool/batch.ts'
import { createRejections, type EventDefaults, type Parsed, tooManyEvents } from '../parsed.ts'
import type { Envelope } from './envelope.ts'
import { asBuffer, type JsonText } from './json-text.ts'
import { createScan, findUnstorable } from './scan.ts'

/**
 * Takes a body apart that is not one clean value, and makes one array of the good events in it, each as it was sent.
 * @throws SluiceError `bad-event`: no complete value; `too-large`: too many events
 */
export const rebuildJson = (source: JsonText, defaults: EventDefaults, envelope: Envelope): Parsed => {
  const rejections = createRejections()
  const reader = envelope.createReader(defaults, rejections)
  const events: EventHead[] = []
  const slices: string[] = []
  const encoding = source.isUtf8 ? 'utf8' : 'latin1'
  let hasValue = false
  let items = 0
  let firstError: FormatError | undefined
  for (const item of splitJsonSequence(source.text, envelope)) {
    if (++items > defaults.maxEvents) throw tooManyEvents(defaults.maxEvents)
    if (item.kind === 'error') {
      firstError ??= item.error
      rejections.add(item.index, 'bad-event', item.error.message)
      continue
    }
    hasValue = true
    if (item.kind === 'empty') continue
    const value = checkSlice(item.text, source.isUtf8, defaults.maxValues)
    if (typeof value === 'string') rejections.add(item.index, 'bad-event', value)
    const head = typeof value === 'string' ? undefined : reader.read(value.value, item.index, events.length)
    if (head === undefined) {
      rejections.keep(item.index, Buffer.from(item.text, encoding), 'application/json')
      continue
    }
    events.push(head)
    slices.push(item.text)
  }
  if (!hasValue) throw noValue(firstError)
  const body = asBuffer(Buffer.from(`[${slices.join(',')}]`, encoding))
  return { format: 'json', body, events, rejections }
}

/** The value of a slice, or why it cannot be stored. */
const checkSlice = (slice: string, hasUtf8: boolean, maxValues: number): { readonly value: Value } | string => {
  let text = slice
  if (!hasUtf8) {
    const bytes = Buffer.from(slice, 'latin1')
    if (!isUtf8(bytes)) return 'The event holds bytes that are not UTF-8'
    text = bytes.toString('utf8')
  }
  try {
    const value = parseJson(text)
    // The numbers were read exactly already.
    const problem = isNested(value) ? findUnstorable(value, createScan(maxValues)) : undefined
    return problem ?? { value }
  } catch (error) {
    if (error instanceof FormatError) return error.message
    throw error
  }
}

const isNested = (value: Value): value is Value & object => typeof value === 'object' && value !== null

/** Why nothing of a body can be taken. */
export const noValue = (cause: FormatError | undefined): SluiceError =>
  new SluiceError(
    'bad-event',
    cause ? `The body holds no complete JSON value: ${cause.message}` : 'The body is empty',
    {
      cause,
    },
  )
