import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJsonValue } from '../../../../src/formats/parquet/kind.ts'
import { decodeEvents } from '../../../../src/spool/events/decode-events.ts'
import { createSentEvents, SentEvent } from '../../../../src/spool/events/sent-events.ts'
import { EventSchema } from '../../../../src/spool/parquet/event-schema.ts'
import { ParquetEncoder } from '../../../../src/spool/parquet/parquet-encoder.ts'
import { SealMemory } from '../../../../src/spool/parquet/seal-memory.ts'
import { startMs } from '../../../suites/spool.ts'

/** JSON texts of values in all their spellings: nothing of a value is left to a writer. */
const gap = fc.constantFrom('', '', ' ', '\t ')
const number = fc.oneof(
  fc.constantFrom('0', '-0', '-0.0', '1.0', '1.50', '1e3', '-7', '0.1', '12.25', '9007199254740993', '123456789012345'),
  fc.constantFrom(
    '1234567890123456',
    '0.123456789012345',
    '0.1234567890123456',
    '1E-2',
    '-3.75',
    '1e400',
    `${startMs}`,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
)
const text = fc.oneof(
  fc.constantFrom('""', '"a"', '"é"', String.raw`"\""`, String.raw`"\u00e9"`, String.raw`"\\"`, '"}"', '"],{"', '"5"'),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map(value => JSON.stringify(value)),
)
const { value } = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    text,
    fc.constantFrom('true', 'false', 'null'),
    fc.array(text, { maxLength: 3 }).map(items => `[${items.join(', ')}]`),
    fc.array(tie('value'), { maxLength: 3 }).map(items => `[ ${items.join(',')}]`),
    fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), tie('value')), { maxLength: 3 }).map(toObject),
  ),
}))
const names = fc.constantFrom('a', 'b', 'c', 'A', 'é', '10', '_extra', 'eventName', 'eventDate', 'eventGranularity', '')
const payload = fc
  .tuple(gap, fc.array(fc.tuple(names, value), { maxLength: 6 }))
  .map(([space, members]) => toObject(members, space))

function toObject(members: readonly (readonly [string, string])[], space = ''): string {
  return `{${members.map(([name, text]) => `${space}"${name}"${space}:${space}${text}${space}`).join(',')}}`
}

const head = { index: 0, name: 'Hello', date: startMs, granularity: 'HOURLY' } as const

/** As a registry has them: JSON alone makes no integers and no times. */
const registered = [
  { id: 1, name: 'a', type: 'long' },
  { id: 2, name: 'b', type: 'date' },
  { id: 3, name: 'c', type: 'boolean' },
]

type Way = { readonly as: 'sent' | 'decoded'; readonly isRegistered?: boolean }

/** Files of payloads, each of some row groups, and what was learned. */
const write = (files: readonly (readonly string[])[], { as, isRegistered = false }: Way): unknown[] => {
  const schema = new EventSchema('Hello')
  if (isRegistered) schema.register(registered)
  const memory = new SealMemory()
  const decode = as === 'sent' ? createSentEvents() : decodeEvents
  return files.map(payloads => {
    const encoder = new ParquetEncoder({
      schema,
      schemas: { learn: one => one.learn() },
      memory,
      codec: 'zstd',
      partitions: [],
    })
    for (const [i, text] of payloads.entries()) {
      const body = Buffer.from(`{"eventName":"Hello","payload":${text}}`)
      // Instead of U+FFFF a byte that occurs in no text.
      for (let at = body.indexOf('\uffff'); at >= 0; at = body.indexOf('\uffff')) body.fill(0xff, at, at + 3)
      for (const event of decode({ format: 'json', body, events: [head] })) encoder.add(event)
      body.fill(0)
      if (i % 5 === 4) encoder.pack()
    }
    return [Buffer.from(encoder.finish()).toString('latin1'), toJsonValue(schema.columns), [...schema.misfits]]
  })
}

test.each([false, true])(
  'from bytes of payloads the same files come as from their values, registered: %s',
  isRegistered => {
    fc.assert(
      fc.property(
        fc.array(fc.array(payload, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
        files => {
          expect(write(files, { as: 'sent', isRegistered })).toEqual(write(files, { as: 'decoded', isRegistered }))
        },
      ),
      { numRuns: 400 },
    )
  },
)

test.each([
  ['as the head has it', startMs, false],
  ['with a fraction that is zero', `${startMs}.0`, true],
  ['with an exponent', `${startMs}e0`, true],
  ['another one', startMs + 1, true],
])('a date within a payload, %s: it is passed over only where the column gives it back', (_, date, isKept) => {
  const files = [[`{"eventDate":${date},"a":1}`, '{"a":2}']]
  const [sent] = write(files, { as: 'sent' }) as [string[]]
  expect(sent).toEqual(write(files, { as: 'decoded' })[0])
  expect(sent[0]?.includes(`{"eventDate":${date === `${startMs}e0` ? `${startMs}.0` : date}}`)).toBe(isKept)
})

test('a byte that is not UTF-8 is in no file', () => {
  const [file] = write([['{"a":"x\u007fy"}', '{"a":"z"}']], { as: 'sent' }) as [string[]]
  const [bad] = write([['{"a":"x\uffffy"}', '{"a":"z"}']], { as: 'sent' }) as [string[]]
  expect(file[0]).toContain('x\u007fy')
  expect(bad[0]).toContain(Buffer.from('x\ufffd\ufffd\ufffdy').toString('latin1'))
})

test('payloads of many blocks, and larger than one, and others among them, stay in order', () => {
  const payloads = Array.from({ length: 3_000 }, (_, i) => {
    if (i % 7 === 0) return `{"n":${i},\n"text":"written anew"}`
    return `{"n":${i},"text":"${'x'.repeat(i % 100 === 0 ? 10_000 : i % 300)}","tags":["a","b${i % 3}"]}`
  })
  const [sent] = write([payloads.slice(0, 4)], { as: 'sent' })
  expect(sent).toEqual(write([payloads.slice(0, 4)], { as: 'decoded' })[0])
  expect(write([payloads, payloads], { as: 'sent' })).toEqual(write([payloads, payloads], { as: 'decoded' }))
})

test('most events are taken as they were sent', () => {
  const body = Buffer.from('[{"eventName":"Hello","payload":{"a":1}},{"eventName":"Hello","payload":{"a":[2]}}]')
  const events = [...createSentEvents()({ format: 'json', body, events: [head, { ...head, index: 1 }] })]
  expect(events.every(event => event instanceof SentEvent)).toBe(true)
})
