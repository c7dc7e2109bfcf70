import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import type { FileBomb } from './file-bombs.ts'

/** Rows near the limits of a row, all of them honest. */
export const longFiles: readonly Pick<FileBomb, 'name' | 'bytes'>[] = [
  { name: 'long-text.json', bytes: () => toJson({ id: 1, x: 'text '.repeat(3_000_000) }) },
  { name: 'long-escapes.json', bytes: () => toJson({ id: 1, x: 'a "line"\n'.repeat(1_200_000) }) },
  { name: 'long-keys.json', bytes: () => toJson(keys()) },
  {
    name: 'long-list.json',
    bytes: () => toJson({ id: 1, list: Array.from({ length: 90_000 }, (_, i) => `item ${i}`) }),
  },
  {
    name: 'long-objects.json',
    bytes: () => toJson({ eventName: 'e', payload: { list: Array.from({ length: 40_000 }, (_, i) => ({ id: i })) } }),
  },
  { name: 'long-numbers.json', bytes: () => toJson({ list: Array.from({ length: 90_000 }, (_, i) => i + 0.5) }) },
  { name: 'long-line.txt', bytes: () => Buffer.alloc(15 * 2 ** 20, 'words \t'.repeat(7).slice(0, 6)) },
  { name: 'long-quotes.csv', bytes: () => Buffer.from(`a,b\n1,"${'x ""y"" '.repeat(1_900_000)}"\n`) },
  { name: 'long-text.smile', bytes: () => toSmile({ id: 1, x: 'text '.repeat(3_000_000) }) },
  { name: 'long-keys.smile', bytes: () => toSmile(keys()) },
  {
    name: 'long-objects.smile',
    bytes: () => toSmile({ list: Array.from({ length: 40_000 }, (_, i) => ({ [`id${i % 1000}`]: i })) }),
  },
]

const keys = () => Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`key ${i}`, `value ${i}`]))

const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

const toSmile = (value: Parameters<ReturnType<typeof createSmileWriter>['write']>[0]): Buffer => {
  const writer = createSmileWriter()
  writer.write(value)
  return Buffer.from(writer.take())
}
