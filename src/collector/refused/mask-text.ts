/**
 * Keys within a text, in whatever way it is spelled: as members of JSON, whole, damaged or within a string of JSON; as
 * parameters of a URL or fields of a form; as JSON or a URL in the value of one, escaped, in base64, or compressed in
 * that. The value of each is replaced by {@link mask}, whatever its length; everything else stays as it was.
 */
import { Buffer } from 'node:buffer'
import { gunzipHidden, zipHidden } from '../doors/hidden-json.ts'

/** Replaces a key. */
export const mask = '(hidden)'

/** Which names are those of keys. */
export type KeyNames = {
  /** Of members and parameters. */
  readonly members: readonly string[]
  /** Of parameters besides. @default none */
  readonly isParameter?: (name: string) => boolean
}

/** Whether a text is a URL's query or a form, rather than JSON or the like. @param text one character a byte, as everywhere here */
export const isPairs = (text: string): boolean => /^[^\s{}[\]"=&]{1,200}=/.test(text)

/** Bytes without the values of keys. @throws SluiceError what is compressed cannot be looked into */
export const maskBytes = (names: KeyNames, bytes: Buffer): Buffer => {
  const { plain, isZipped } = gunzipHidden(bytes)
  const text = plain.toString('latin1')
  const masked = isPairs(text) ? maskPairs(names, text) : maskMembers(names.members, text)
  return masked === text ? bytes : zipHidden(Buffer.from(masked, 'latin1'), isZipped)
}

/** Parameters, or fields of a form. @param depth how many texts enclose it */
export const maskPairs = (names: KeyNames, text: string, depth = 0): string =>
  text
    .split(/([&;?#\s])/)
    .map((part, index) => (index % 2 === 1 ? part : maskPair(names, part, depth)))
    .join('')

const maskPair = (names: KeyNames, pair: string, depth: number): string => {
  const at = pair.indexOf('=')
  const name = decodePart(pair.slice(0, Math.max(0, at)))
  const before = pair.slice(0, at + 1)
  if (at >= 0 && (names.members.includes(name) || names.isParameter?.(name))) return `${before}${mask}`
  return `${before}${maskValue(names, pair.slice(at + 1), depth)}`
}

const maxDepth = 3

const maskValue = (names: KeyNames, value: string, depth: number): string => {
  if (value === '' || depth === maxDepth) return value
  const text = decodePart(value)
  const masked = isJson(text) ? maskMembers(names.members, text) : maskBase64(names, text)
  const found = masked === text && text.includes('=') ? maskPairs(names, text, depth + 1) : masked
  return found === text ? value : encode(found)
}

/**
 * A space is a plus that was not escaped. Characters that are not base64 are skipped, as most decoders do: line breaks,
 * or half an escape where a body is cut off.
 */
const maskBase64 = (names: KeyNames, text: string): string => {
  const bytes = Buffer.from(text.replaceAll(' ', '+'), 'base64')
  const { plain, isZipped } = gunzipHidden(bytes)
  const json = plain.toString('latin1')
  if (!isJson(json)) return text
  const masked = maskMembers(names.members, json)
  return masked === json ? text : zipHidden(Buffer.from(masked, 'latin1'), isZipped).toString('base64')
}

const isJson = (text: string): boolean => /^(?:\xef\xbb\xbf)?\s*[{["]/.test(text)

/** A part of a URL or a form; one character a byte. */
export const decodePart = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

const encode = (text: string): string =>
  text.replaceAll(/[^\w.~()-]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** Members with texts, perhaps cut off; it need not be JSON around them. */
const maskMembers = (names: readonly string[], text: string): string => {
  const pieces: string[] = []
  let at = 0
  for (const { from, end } of findMembers(names, text)) {
    if (from < at || end === from) continue
    pieces.push(text.slice(at, from), mask)
    at = end
  }
  return [...pieces, text.slice(at)].join('')
}

/** The first text that a member of such a name has; one character a byte. */
export const findMember = (names: readonly string[], text: string): string | undefined => {
  for (const { from, end, level } of findMembers(names, text)) if (level === 0) return text.slice(from, end)
  return undefined
}

type MemberText = { readonly from: number; readonly end: number; readonly level: number }

/** The places of their texts; `level`: how many JSON texts enclose it, each of which escapes the quotes. */
function* findMembers(names: readonly string[], text: string): Generator<MemberText> {
  if (names.length === 0) return
  for (const { index, 0: start, 1: escapes = '' } of text.matchAll(memberStart(names))) {
    const level = Math.ceil(Math.log2(escapes.length + 1))
    const from = index + start.length
    yield { from, end: endOfText(text, from, escapes.length, level), level }
  }
}

const memberStart = (names: readonly string[]): RegExp => {
  const name = names.map(one => Array.from(one, toEscapable).join('')).join('|')
  return new RegExp(String.raw`(\\{0,7})"(?:${name})\1"\s*:\s*\1"`, 'g')
}

/** A character of a name, as itself or as JSON may escape it. */
const toEscapable = (char: string): string => {
  const digits = char.charCodeAt(0).toString(16).padStart(4, '0')
  return String.raw`(?:${char}|\\{1,8}u${digits.replaceAll(/[a-f]/g, one => `[${one}${one.toUpperCase()}]`)})`
}

const endOfText = (text: string, from: number, escapes: number, level: number): number => {
  let run = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"' && isQuote(run, level)) return at - Math.min(run, escapes)
    run = text[at] === '\\' ? run + 1 : 0
  }
  return text.length
}

/** Whether a quote after this many backslashes ends a text, or one that encloses it. */
const isQuote = (run: number, level: number): boolean =>
  run % 2 === 0 || (level > 0 && isQuote((run - 1) / 2, level - 1))
