/**
 * Keys of senders within what is kept of refused requests. Wherever a member of a body, or a parameter of a target, has the
 * name of a key of that door ({@link keysOf}), {@link mask} stands for its value, whatever its length: in whole JSON and in
 * damaged, in forms, base64 and gzip that the door looks into. Bytes that cannot be looked into are not kept.
 */
import { Buffer } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import { withoutMark } from '../doors/door-format.ts'
import { findJson, isForm } from '../doors/hidden-json.ts'
import { keysOf } from '../formats/doors.ts'
import type { Sent } from '../live/feed.ts'
import { maxStoredBytes } from '../live/recent.ts'

/** Stands for a key. */
export const mask = '(hidden)'

/**
 * What is kept of a body.
 * @param isDecoded whether its `Content-Encoding` is undone
 */
export const maskBody = (operationId: string, sent: Sent, isDecoded: boolean): Sent => {
  const names = namesOf(operationId)
  if (names.length === 0) return sent
  const masked = isDecoded ? maskHidden(names, sent.bytes) : nothing
  // The length shows that something was cut off, or is not kept.
  const rest = masked.length === 0 ? sent.bytes.length : 0
  return {
    bytes: new Uint8Array(masked.subarray(0, maxStoredBytes)),
    length: sent.length - sent.bytes.length + masked.length + rest,
  }
}

const nothing = Buffer.alloc(0)

/** What is kept of a target, or of a header that may have a URL. */
export const maskTarget = (operationId: string, target: string): string => {
  const [path = '', ...query] = target.split('?')
  return query.length === 0 ? target : `${path}?${maskPairs(namesOf(operationId), query.join('?'))}`
}

/** Parameters, or fields of a form. */
const maskPairs = (names: readonly string[], pairs: string): string =>
  pairs
    .split('&')
    .map(pair => {
      const [name = ''] = pair.split('=', 1)
      const asked = new URLSearchParams(`${name}=`)
      return names.some(one => asked.has(one)) ? `${name}=${mask}` : pair
    })
    .join('&')

const maskHidden = (names: readonly string[], bytes: Uint8Array): Buffer => {
  try {
    const sent = withoutMark(bytes)
    const { json, hide } = findJson(sent)
    // One character a byte, so that any bytes come back as they were.
    const text = json.toString('latin1')
    const masked = maskMembers(names, text)
    if (masked !== text) return hide(Buffer.from(masked, 'latin1'))
    return isForm(sent) ? Buffer.from(maskPairs(names, sent.toString('latin1')), 'latin1') : sent
  } catch (error) {
    if (error instanceof SluiceError) return nothing
    throw error
  }
}

/** Members with texts, perhaps cut off; it need not be JSON around them. */
const maskMembers = (names: readonly string[], text: string): string => {
  const pieces: string[] = []
  let at = 0
  for (const { index, 0: start } of text.matchAll(memberStart(names))) {
    const from = index + start.length
    const end = endOfText(text, from)
    if (end > from) pieces.push(text.slice(at, from), mask)
    at = end > from ? end : at
  }
  return [...pieces, text.slice(at)].join('')
}

const memberStart = (names: readonly string[]): RegExp =>
  new RegExp(String.raw`"(?:${names.map(name => Array.from(name, toEscapable).join('')).join('|')})"\s*:\s*"`, 'g')

/** A character of a name, as itself or as JSON may escape it. */
const toEscapable = (char: string): string => {
  const digits = char.charCodeAt(0).toString(16).padStart(4, '0')
  return String.raw`(?:${char}|\\u${digits.replaceAll(/[a-f]/g, one => `[${one}${one.toUpperCase()}]`)})`
}

const endOfText = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') return at
    if (text[at] === '\\') at++
  }
  return text.length
}

/** Names of members and parameters, wherever they stand. */
const namesOf = (operationId: string): readonly string[] =>
  keysOf(operationId).map(path => path.split('.').at(-1) ?? path)
