/**
 * Messages of `/live`, one after another (WHATWG HTML, 9.2: server-sent events):
 *
 *     event: hello | accepted | rejected | figures
 *     id: <of an event; rises>
 *     data: <JSON, one line>
 *     <empty line>
 */
import type { LiveEvent, LiveFigures, Sent } from '../../src/collector/live/feed.ts'
import type { Product } from '../protocol.ts'

/** The first message: whom it comes from. */
export const toHelloMessage = ({ version, startedAt }: Pick<Product, 'version' | 'startedAt'>): string =>
  write('hello', JSON.stringify({ version, startedAt }))

/** Events received and events shown within a second. */
export const toFiguresMessage = (figures: LiveFigures): string => write('figures', JSON.stringify(figures))

/** An event, or a request of which events were refused. */
export const toLiveMessage = (event: LiveEvent): string => {
  if (event.kind === 'accepted') {
    const { kind, fields, ...head } = event
    return write(kind, `${JSON.stringify(head).slice(0, -1)},"fields":${fields}}`, event.id)
  }
  const { kind, sent, ...head } = event
  return write(kind, JSON.stringify({ ...head, sent: sent === undefined ? null : toSentJson(sent) }), event.id)
}

/** JSON has no line breaks but escaped ones. */
const write = (name: string, json: string, id?: number): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`

const toSentJson = ({ bytes, length }: Sent): Readonly<Record<string, unknown>> => {
  const isCut = bytes.length < length
  const text = toText(bytes, isCut)
  const shown = text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : { text }
  return { ...shown, bytes: length, isCut }
}

/** Undefined for what is not text; what is cut may end within a character. */
const toText = (bytes: Uint8Array, isCut: boolean): string | undefined => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return isBinary(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Whether there are control characters that no text has. */
const isBinary = (text: string): boolean =>
  text.match(/\p{Cc}/gu)?.some(character => !'\t\n\v\f\r\u001b'.includes(character)) ?? false
