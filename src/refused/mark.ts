import { locateJson, type TextSpan } from './locate-json.ts'
import type { RefusedRecord } from './refused-record.ts'

/** The place in what was sent that the reason speaks of; undefined where it names none, or that cannot be told. */
export const findMark = ({ sent, detail, type, position }: RefusedRecord): TextSpan | undefined => {
  if (sent === undefined) return undefined
  const [, unit, offset] = /\bat (byte|character) (\d+)\b/.exec(detail) ?? []
  // Where an event stands alone, the number counts in the request that it came in.
  if (unit !== undefined && position === undefined)
    return toMark(sent, unit === 'byte' ? toUnits(sent, Number(offset)) : Number(offset))
  const path = toPath(detail, type)
  if (path === undefined) return undefined
  // What is missing has no place but that of what it would stand in.
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

const toMark = (text: string, at: number): TextSpan => {
  const start = Math.min(at, Math.max(0, text.length - 1))
  return { start, end: Math.min(text.length, start + 1) }
}

/** UTF-16 units before a byte of the text's UTF-8. */
const toUnits = (text: string, bytes: number): number => Buffer.from(text).subarray(0, bytes).toString('utf8').length
