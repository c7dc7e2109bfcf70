/**
 * A request as a line: in the combined format of Apache (https://httpd.apache.org/docs/2.4/logs.html#combined),
 *
 *     <address> - <user> [<time>] "<request line>" <status> <bytes> "<referer>" "<user agent>"
 *
 * or as JSON. Whatever a client sends stays within its place and its line. Tokens in targets and referers are hidden.
 */
import { hideInText } from '../../log/hide-secrets.ts'
import { escapeJsonControls } from '../../text/control-characters.ts'
import { parseTraceparent } from '../../tracing/trace-context.ts'
import { toHeaderText } from '../origin/header-text.ts'
import type { Access } from './access.ts'

/** With the address of the client in place of the peer's. */
export type ToLine = (access: Access, address: string) => string

/** Without authentication callers have no names. */
const toName = (user: string | undefined): string | undefined => (user === 'anonymous' ? undefined : user)

/** Without the end of the line. */
export const toCombinedLine: ToLine = (access, address) => {
  const { user, at, method, target, httpVersion, status, bytes, referer, userAgent } = access
  const request = `${method} ${hideInText(target)} HTTP/${httpVersion}`
  const quoted = [request, referer === undefined ? undefined : hideInText(referer), userAgent].map(toQuoted)
  return `${toWord(address)} - ${toWord(toName(user))} [${toTime(at)}] ${quoted[0]} ${status} ${bytes || '-'} ${quoted[1]} ${quoted[2]}`
}

/** Without the end of the line. Names are stable; what is not known is left out. */
export const toJsonLine: ToLine = (access, address) => {
  const { listener, user, at, durationMs, method, target, httpVersion, status, bytes, referer, userAgent } = access
  const line = JSON.stringify({
    time: new Date(at).toISOString(),
    listener,
    address,
    user: toName(user),
    method,
    target: hideInText(target),
    httpVersion,
    status,
    bytes,
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    referer: referer === undefined ? undefined : hideInText(toHeaderText(referer)),
    userAgent: userAgent === undefined ? undefined : toHeaderText(userAgent),
    traceId: parseTraceparent(access.traceparent)?.traceId,
  })
  return escapeJsonControls(line)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

let second = Number.NaN
let time = ''

/** `22/Nov/2026:08:15:02 +0000` */
const toTime = (at: number): string => {
  const now = Math.floor(at / 1_000)
  if (now === second) return time
  second = now
  const date = new Date(now * 1_000)
  const [day, clock] = [date.toISOString().slice(8, 10), date.toISOString().slice(11, 19)]
  time = `${day}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}:${clock} +0000`
  return time
}

const toQuoted = (text: string | undefined): string => `"${text === undefined ? '-' : escapeBytes(text)}"`

/** Something between two spaces. */
const toWord = (text: string | undefined): string =>
  text === undefined || text === '' ? '-' : escapeBytes(text).replaceAll(' ', '\\x20')

/** What Apache leaves as it is between quotes: printable ASCII but the quote and the backslash. */
const plain = /^[ !#-[\]-~]*$/

const escapeBytes = (text: string): string => {
  if (plain.test(text)) return text
  let escaped = ''
  for (const byte of toBytes(text)) {
    if (byte === 0x22 || byte === 0x5c) escaped += `\\${String.fromCharCode(byte)}`
    else if (byte >= 0x20 && byte < 0x7f) escaped += String.fromCharCode(byte)
    else escaped += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return escaped
}

/** Headers have a character for each byte; the names of callers may have others. */
const toBytes = (text: string): Uint8Array => Buffer.from(text, /[^\0-\xff]/.test(text) ? 'utf8' : 'latin1')
