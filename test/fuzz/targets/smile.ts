import { deepStrictEqual } from 'node:assert'
import { readdirSync, readFileSync } from 'node:fs'
import { readSmile, readSmileElements } from '../../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'

const folder = new URL('../../fixtures/smile/', import.meta.url)

/** A long input makes few cases. */
const maxCorpusBytes = 4_096

export const name = 'smile'

export const corpus = (): Uint8Array[] =>
  readdirSync(folder)
    .filter(file => /\.(?:sml|smile)$/.test(file))
    .map(file => new Uint8Array(readFileSync(new URL(file, folder))).slice(0, maxCorpusBytes))

/** Any bytes are read or refused; what is read is the same by both ways, and survives being written. */
export const run = (bytes: Uint8Array): void => {
  const values = [...readSmile(bytes)]
  deepStrictEqual([...readSmileElements(bytes)], values.flat(1))
  const writer = createSmileWriter()
  for (const value of values) writer.write(value)
  deepStrictEqual([...readSmile(writer.take())], values)
}
