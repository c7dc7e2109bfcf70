import { parseJson, stringifyJson } from '../../src/formats/json.ts'
import type { Value } from '../../src/formats/number.ts'
import { readSmileElements } from '../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { createOldEvent } from './old-events.ts'

/**
 * Smile and exact JSON against the plain JSON of the engine, over the same events. Run by hand:
 * `node test/bench/smile.ts`; rates are medians of seven rounds of the whole set.
 */

const count = 20_000
const rounds = 7

const measure = (name: string, bytes: number, work: () => unknown): void => {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    work()
    times.push(performance.now() - start)
  }
  const seconds = (times.toSorted((a, b) => a - b)[rounds >> 1] ?? 0) / 1000
  const rate = `${Math.round(count / seconds / 1000)} K events/s`
  process.stdout.write(
    `${name.padEnd(34)}${(bytes / seconds / 1e6).toFixed(0).padStart(5)} MB/s ${rate.padStart(16)}\n`,
  )
}

const encode = (values: readonly Value[]): Uint8Array => {
  const writer = createSmileWriter()
  writer.startArray()
  for (const value of values) writer.write(value)
  writer.endArray()
  return writer.take()
}

const encodeEach = (values: readonly Value[]): Uint8Array[] =>
  values.map(value => {
    const writer = createSmileWriter()
    writer.write(value)
    return writer.take()
  })

const sizeOf = (parts: readonly { readonly length: number }[]): number =>
  parts.reduce((sum, part) => sum + part.length, 0)

const decode = (bytes: Uint8Array): number => {
  let events = 0
  for (const _ of readSmileElements(bytes)) events += 1
  return events
}

const values = Array.from({ length: count }, (_, i) => createOldEvent(i))
const text = JSON.stringify(values)
const texts = values.map(value => JSON.stringify(value))
const smile = encode(values)
const smiles = encodeEach(values)
const exactText = text.replaceAll('"memberCount":', '"id":1234567890123456789,"memberCount":')

measure('JSON.parse, one array', text.length, () => JSON.parse(text))
measure('JSON.parse, each event', text.length, () => texts.map(each => JSON.parse(each)))
measure('parseJson, one array', text.length, () => parseJson(text))
measure('parseJson, each event', text.length, () => texts.map(each => parseJson(each)))
measure('parseJson, a long integer in each', exactText.length, () => parseJson(exactText))
measure('readSmileElements, one file', smile.length, () => decode(smile))
measure('readSmileElements, each event', sizeOf(smiles), () => smiles.map(decode))
measure('JSON.stringify, one array', text.length, () => JSON.stringify(values))
measure('stringifyJson, one array', text.length, () => stringifyJson(values))
measure('Smile writer, one file', smile.length, () => encode(values))
measure('Smile writer, each event', sizeOf(smiles), () => encodeEach(values))
