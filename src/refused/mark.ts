import { isForm } from '../collector/doors/hidden-json.ts'
import { mask } from '../collector/refused/mask-text.ts'
import { locateJson, type TextSpan } from './locate-json.ts'
import type { RefusedRecord } from './refused-record.ts'

/** The place in the request that the reason refers to; undefined if it names none, or it cannot be found. */
export const findMark = (record: RefusedRecord): TextSpan | undefined => {
  const { sent, detail, type } = record
  if (sent === undefined) return undefined
  const [, unit, offset] = /\bat (byte|character) (\d+)\b/.exec(detail) ?? []
  if (unit !== undefined) return isCounted(record) ? findOffset(sent, unit, Number(offset)) : undefined
  const path = toPath(detail, type)
  if (path === undefined) return undefined
  // A missing member has no place but that of its parent.
  const parts = / is missing/.test(detail) ? path.slice(0, -1) : path
  // Of an envelope, of one that is alone in a list, or of a payload as other makes send it.
  for (const before of [['payload'], ['0', 'payload'], []]) {
    const mark = locateJson(sent, [...before, ...parts])
    if (mark !== undefined) return mark
  }
  return undefined
}

/** `Order /items/0/price is …` of a contract, `Order.price is …` of fields of a registry. */
const toPath = (detail: string, type: string): readonly string[] | undefined => {
  const [, pointer] = /^\S+ ((?:\/[^\s/]*)+) (?:is|has) /.exec(detail) ?? []
  if (pointer !== undefined)
    return pointer
      .split('/')
      .slice(1)
      .map(one => one.replaceAll('~1', '/').replaceAll('~0', '~'))
  const rest = detail.startsWith(`${type}.`) ? detail.slice(type.length + 1) : ''
  const [, field] = /^([\w.-]+) is /.exec(rest) ?? []
  return field === undefined ? undefined : [field]
}

/**
 * Whether a number in the reason is an offset in what is stored: not if an event is stored alone, because it counts in
 * the request that it arrived in; nor if keys are hidden; nor if the parsed text was within a form, or in UTF-16.
 */
const isCounted = ({ sent = '', position }: RefusedRecord): boolean =>
  position === undefined && !sent.includes(mask) && !sent.includes('\0') && !isForm(Buffer.from(sent.slice(0, 8)))

/** The character at an offset; a byte order mark is counted nowhere. */
const findOffset = (sent: string, unit: string, offset: number): TextSpan => {
  const before = sent.startsWith('\ufeff') ? 1 : 0
  const text = sent.slice(before)
  const units = unit === 'byte' ? toUnits(text, offset) : offset
  const at = Math.min(units, Math.max(0, text.length - 1))
  // Not the second half of a character.
  const start = isLowSurrogate(text.charCodeAt(at)) && at > 0 ? at - 1 : at
  const length = String.fromCodePoint(text.codePointAt(start) ?? 0).length
  return { start: before + start, end: Math.min(sent.length, before + start + length) }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** UTF-16 units before the character that a byte of the text's UTF-8 belongs to. */
const toUnits = (text: string, offset: number): number => {
  const bytes = Buffer.from(text)
  let start = Math.min(offset, bytes.length)
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  return bytes.subarray(0, start).toString('utf8').length
}
