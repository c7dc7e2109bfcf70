import { parseNumber } from '../../formats/number.ts'
import type { AnyNumber } from './decimal-order.ts'
import { type Instant, toInstant } from './instant.ts'

/** What a field is compared with; `text` is how it was written, without quotes. */
export type Literal =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly text: string; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string; readonly value: AnyNumber }
  | { readonly kind: 'time'; readonly text: string; readonly instant: Instant }
  | { readonly kind: 'text'; readonly text: string; readonly instant: Instant | undefined }

/** A value in quotes: always a text, which may name a time. */
export const toTextLiteral = (text: string): Literal => ({ kind: 'text', text, instant: toInstant(text) })

/** A value without quotes: a word with a meaning, a number, a time, or else a text. */
export const toBareLiteral = (text: string): Literal => {
  if (/^null$/i.test(text)) return { kind: 'null' }
  if (text === 'true' || text === 'false') return { kind: 'boolean', text, value: text === 'true' }
  const value = toNumberLiteral(text)
  if (value !== undefined) return { kind: 'number', text, value }
  const instant = toInstant(text)
  return instant ? { kind: 'time', text, instant } : toTextLiteral(text)
}

/** Texts that are longer name no number. */
const maxNumberChars = 400

/** Digits, with a sign, a fraction and an exponent where there are any; zeros before them make no difference. */
const numberText = /^\+?(-?)0*(\d+(?:\.\d+)?(?:[eE][+-]?\d{1,9})?)$/

/** Characters of a number without an exponent that a double holds exactly. */
const plainNumber = /^[+-]?[\d.]{1,15}$/

/** The number that a text names, exactly; undefined where it names none. */
export const toNumberLiteral = (text: string): AnyNumber | undefined => {
  // Most texts are not numbers, and each of them is checked here.
  const last = text.charCodeAt(text.length - 1)
  if (!(last >= 0x30 && last <= 0x39) || text.length > maxNumberChars) return undefined
  const [, sign, digits] = numberText.exec(text) ?? []
  if (sign === undefined || digits === undefined) return undefined
  return plainNumber.test(text) ? Number(text) : parseNumber(sign + digits)
}
