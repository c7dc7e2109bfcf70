import { parseJson, stringifyJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import { isRecord } from '../../../src/is-record.ts'
import { usageError } from '../command/failure.ts'

type Fields = { [name: string]: Value }

/** What the words of a command line say of one event. */
export type EventWords = {
  /** `field=value`: JSON where the value is that, numbers exact, otherwise text. */
  readonly fields: readonly string[]
  /** `field=text`, whatever the text looks like. */
  readonly strings: readonly string[]
  /** A JSON object with further fields. */
  readonly json?: string | undefined
}

/** One event as the server takes it; `a.b=1` is a field in a field. @throws CliError `usage` */
export const toEventJson = (eventName: string, { fields, strings, json }: EventWords): string => {
  const payload = json === undefined ? {} : parseObject(json)
  for (const word of fields) put(payload, word, parseOrText)
  for (const word of strings) put(payload, word, text => text)
  return stringifyJson({ eventName, payload })
}

const parseObject = (text: string): Fields => {
  let value: Value
  try {
    value = parseJson(text)
  } catch (error) {
    throw usageError(`--json ${text.slice(0, 80)} is not JSON: ${(error as Error).message}`)
  }
  if (!isFields(value)) throw usageError(`--json ${text.slice(0, 80)}: expected an object such as {"path":"/news"}`)
  return value
}

const put = (payload: Fields, word: string, toValue: (text: string) => Value): void => {
  const at = word.indexOf('=')
  const names = word.slice(0, Math.max(0, at)).split('.')
  if (at < 1 || names.includes(''))
    throw usageError(`${word.slice(0, 80)}: expected field=value, such as path=/news or user.id=7`)
  let inner = payload
  for (const name of names.slice(0, -1)) {
    if (!Object.hasOwn(inner, name)) define(inner, name, {})
    const next = inner[name]
    if (!isFields(next)) throw usageError(`${word.slice(0, 80)}: ${name} has a value and cannot have fields`)
    inner = next
  }
  const last = names.at(-1) ?? ''
  if (Object.hasOwn(inner, last)) throw usageError(`The field ${names.join('.').slice(0, 80)} is given twice`)
  define(inner, last, toValue(word.slice(at + 1)))
}

/** A field may be called `__proto__`. */
const define = (fields: Fields, name: string, value: Value): void =>
  void Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })

const parseOrText = (text: string): Value => {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

const isFields = (value: unknown): value is Fields =>
  isRecord(value) && Object.getPrototypeOf(value) === Object.prototype
