import { escapeJsonControls } from '../../../src/text/control-characters.ts'

/** JSON for programs, and for a terminal: indented, integers beyond 2^53 exactly, bytes in base64, sets and maps as arrays and objects. */
export const toShownJson = (value: unknown, indent = 2): string =>
  escapeJsonControls(JSON.stringify(value, replace, indent))

const replace = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return JSON.rawJSON(String(value))
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Set) return [...value]
  if (value instanceof Map) return Object.fromEntries(value)
  return value
}
