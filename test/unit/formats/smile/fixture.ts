import { readFileSync } from 'node:fs'
import type { Value } from '../../../../src/formats/number.ts'
import { createSmileWriter, type SmileWriteOptions } from '../../../../src/formats/smile/writer.ts'

const folder = new URL('../../../fixtures/smile/', import.meta.url)

/** A document that Jackson wrote. */
export const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, folder)))

export const fixtureText = (name: string): string => readFileSync(new URL(name, folder), 'utf8').trim()

/** Bytes from hexadecimal digits, spaces between them or not. */
export const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

export const toHex = (written: Uint8Array): string => Buffer.from(written).toString('hex')

/** Root values, one after another. */
export const write = (values: Iterable<Value>, options?: SmileWriteOptions): Uint8Array => {
  const writer = createSmileWriter(options)
  for (const value of values) writer.write(value)
  return writer.take()
}

/** Elements of one array at the root. */
export const writeArray = (values: Iterable<Value>, options?: SmileWriteOptions): Uint8Array => {
  const writer = createSmileWriter(options)
  writer.startArray()
  for (const value of values) writer.write(value)
  writer.endArray()
  return writer.take()
}
