import { deepStrictEqual } from 'node:assert'
import { FormatError } from '../../../src/errors.ts'
import { Budget } from '../../../src/formats/budget.ts'
import { parseJson, stringifyJson } from '../../../src/formats/json.ts'
import { LongJson, parseExactJson } from '../../../src/formats/json-long.ts'
import type { Value } from '../../../src/formats/number.ts'

const texts = [
  '{"eventName":"Hello","payload":{"eventDate":1304459794698,"eventGranularity":"HOURLY","hello":"world"}}',
  '[{"id":1234567890123456789,"x":-0.0,"y":1e5,"z":3.14159265358979323846,"__proto__":{"a":[]}},[],{}, null ]',
  '{"s":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é€😀","":true,"f":false,"n":[1,2.5,-3E-7,0.10,100]}',
  '[[[[[[[[{"a":{"b":{"c":[0,-0,1.0]}}}]]]]]]]]',
  ' \t\r\n"text" ',
  '-0',
  '1e400',
]

export const name = 'json'

export const corpus = (): Uint8Array[] => texts.map(text => new TextEncoder().encode(text))

/** What `parseJson` takes, `JSON.parse` takes; limits aside, the reverse holds too. What is read survives being written. */
export const run = (bytes: Uint8Array): void => {
  const text = new TextDecoder().decode(bytes)
  const native = parseNative(text)
  try {
    const value = parseJson(text)
    deepStrictEqual(parseExactJson(text), value)
    deepStrictEqual(readLong(bytes), value)
    const written = stringifyJson(value)
    deepStrictEqual(JSON.parse(written), native?.value)
    deepStrictEqual(stringifyJson(parseJson(written)), written)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    if (native !== undefined && !isLimit(error)) throw new Error('JSON.parse takes the text', { cause: error })
  }
}

/** In pieces of seven bytes. @throws FormatError */
const readLong = (bytes: Uint8Array): Value => {
  const whole = Buffer.from(new TextEncoder().encode(new TextDecoder().decode(bytes)))
  const reader = new LongJson(new Budget('json'))
  let at = 0
  for (let end = 7; !reader.isDone; end += 7) at += reader.feed(whole.subarray(at, end), end >= whole.length, at)
  return reader.value
}

const parseNative = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const isLimit = ({ message }: FormatError): boolean => /nested deeper|Cannot (?:read|make)/.test(message)
