import { expect, test } from 'vitest'
import { ByteSink } from '../../../../../src/formats/parquet/write/byte-sink.ts'
import { TextStore } from '../../../../../src/formats/parquet/write/text-store.ts'

const storeOf = (texts: Iterable<string>): TextStore => {
  const store = new TextStore()
  for (const text of texts) store.addText(text)
  return store
}

const plainOf = (store: TextStore): string[] => {
  const sink = new ByteSink()
  // In two pages: the second one continues where the first one ended.
  const middle = store.count >> 1
  store.write(0, middle, sink)
  store.write(middle, store.count, sink)
  expect(sink.length).toBe(store.plainBytes)
  const texts: string[] = []
  const bytes = sink.view()
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at)
    texts.push(bytes.toString('utf8', at + 4, end))
    at = end
  }
  return texts
}

const some = (count: number, distinct: number): string[] =>
  Array.from({ length: count }, (_, i) => `value ${i % distinct} ${'x'.repeat(i % distinct)}`)

test.each([
  ['few that come again', some(5_000, 10), 10],
  ['some that come again', some(5_000, 400), 400],
  ['as many as bits of two bytes hold', some(2_000, 257), 257],
  ['others than ASCII, and long ones', ['é', '日本', 'é', '', '😀', 'x'.repeat(1_000), 'x'.repeat(1_000)], 5],
  ['none twice', some(900, 900), 0],
  ['none twice, and more than are tried', some(2_000, 2_000), 0],
  ['none', [], 0],
])('texts, %s: each is there, and once where that is shorter', (_, texts, dictionary) => {
  const store = storeOf(texts)
  expect(store.dictionarySize).toBe(dictionary)
  expect(plainOf(store)).toEqual(texts)
  store.clear()
  expect(plainOf(store)).toEqual([])
  for (const text of texts) store.addUtf8(Buffer.from(`<${text}>`), 1, 1 + Buffer.byteLength(text))
  expect(store.dictionarySize).toBe(dictionary)
  expect(plainOf(store)).toEqual(texts)
})

test('a dictionary that was given up is there again for the next texts', () => {
  const store = storeOf(some(2_000, 2_000))
  store.clear()
  for (const text of ['a', 'b', 'a', 'b', 'a']) store.addText(text)
  expect(store.dictionarySize).toBe(2)
})

test('a dictionary holds a megabyte at most', () => {
  const texts = Array.from({ length: 3_000 }, (_, i) => String(i % 1_200).padStart(1_000))
  const store = storeOf(texts)
  expect(store.dictionarySize).toBe(0)
  expect(plainOf(store)).toEqual(texts)
})

/** Hashes as the table of a dictionary has them: texts that all want places near each other. */
const crowded = (count: number): string[] => {
  const found: string[] = []
  for (let i = 0; found.length < count; i++) {
    const text = i.toString(36)
    let hash = 0x811c9dc5 | 0
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    if (((hash ^ (hash >>> 15)) & 0x3fff) === 0) found.push(text)
  }
  return found
}

test('texts that somebody has made up to want one place end the dictionary, and are there', () => {
  const texts = crowded(300)
  const again = [...texts, ...texts, ...texts]
  const store = storeOf(again)
  expect(store.dictionarySize).toBe(0)
  expect(plainOf(store)).toEqual(again)
})
