import { stringifyJson } from '../../formats/json.ts'
import { toName } from '../../formats/members.ts'
import { isWrapped, type Value } from '../../formats/number.ts'
import { toBuffer } from '../../formats/to-buffer.ts'
import { encodeJsonValue } from './json-value.ts'

/** Some of an answer: text, or UTF-8 that was made without it. */
export type Piece = string | Uint8Array

/** What is written in one go: about this many characters, and values with a limited number of parts. */
export const pieceChars = 32_768
const maxParts = 2_000

/** Whether a value is written in one go: a long text, or one with many parts, would keep the event loop too long. */
export const isSmall = (value: Value): boolean => {
  if (typeof value === 'string') return value.length <= pieceChars
  if (typeof value !== 'object' || value === null) return true
  return count(value, maxParts) >= 0
}

/** What is left of `most` parts; negative when there are more, or long texts. */
const count = (value: Value, most: number): number => {
  if (typeof value === 'string') return value.length > pieceChars ? -1 : most - 1
  if (!isContainer(value)) return value instanceof Uint8Array && value.length > pieceChars ? -1 : most - 1
  let left = most - 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = count(value[index] ?? null, left)
    return left
  }
  for (const name in value) {
    if (left < 0) break
    left = count(value[name] ?? null, left)
  }
  return left
}

const isContainer = (value: Value): value is Value[] | { [key: string]: Value } =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array || isWrapped(value))

/**
 * The JSON of a value in pieces of about {@link pieceChars} characters: together the text of `stringifyJson`.
 * @param pad what a line break within it is followed by; absent for text without line breaks
 */
export function* jsonPieces(value: Value, pad?: string): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > pieceChars) {
    yield '"'
    for (const part of cutText(value)) yield JSON.stringify(part).slice(1, -1)
    yield '"'
  } else if (value instanceof Uint8Array) yield* base64Pieces(value, '"')
  else if (!isContainer(value)) yield encodeJsonValue(value)
  else if (isSmall(value)) {
    const text = stringifyJson(value, pad === undefined ? {} : { indent: 2 })
    yield pad === undefined ? text : text.replaceAll('\n', `\n${pad}`)
  } else yield* containerPieces(value, pad)
}

function* containerPieces(
  value: Value[] | { [key: string]: Value },
  pad: string | undefined,
): Generator<string, void, undefined> {
  const inner = pad === undefined ? undefined : `${pad}  `
  const lineStart = inner === undefined ? '' : `\n${inner}`
  const names = Array.isArray(value) ? undefined : Object.keys(value)
  const length = names?.length ?? (Array.isArray(value) ? value.length : 0)
  let text = names ? '{' : '['
  for (let index = 0; index < length; index++) {
    const name = names?.[index]
    text += (index === 0 ? '' : ',') + lineStart
    if (name !== undefined) text += `${JSON.stringify(toName(name))}:${inner === undefined ? '' : ' '}`
    const element = Array.isArray(value) ? value[index] : value[name ?? '']
    for (const piece of jsonPieces(element ?? null, inner)) {
      text += piece
      if (text.length < pieceChars) continue
      yield text
      text = ''
    }
  }
  yield `${text}${pad === undefined ? '' : `\n${pad}`}${names ? '}' : ']'}`
}

/** A text in parts, no pair of surrogates apart. */
export function* cutText(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    let end = at + pieceChars
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    yield text.slice(at, end)
    at = end
  }
}

/** Bytes as base64 in parts, between two marks. */
export function* base64Pieces(bytes: Uint8Array, mark: string): Generator<string, void, undefined> {
  const whole = toBuffer(bytes)
  // Three bytes are four characters.
  const step = Math.floor(pieceChars / 4) * 3
  yield mark
  for (let at = 0; at < whole.length; at += step) yield whole.toString('base64', at, at + step)
  yield mark
}
