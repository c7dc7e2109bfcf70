import { isRecord } from '../is-record.ts'
import { escapeControls } from '../text/control-characters.ts'

/**
 * Turns a JSON log line into one for people: `12:34:56 INFO  listening  url=http://…`. Some fields contain what clients
 * sent: control characters, which could begin a line of their own or steer a terminal, are shown as escapes.
 */
export const formatLine = (line: string): string => {
  const { time, level, msg, err, ...fields } = parse(line)
  const clock = typeof time === 'string' ? time.slice(11, 19) : ''
  const details = Object.entries(fields).map(([key, value]) => `  ${toShown(key)}=${toShown(value)}`)
  const stack = isRecord(err) ? `\n${toLines(toText(err['stack'] ?? err['message']))}` : ''
  return `${clock} ${toText(level).toUpperCase().padEnd(5)} ${toShown(msg)}${details.join('')}${stack}\n`
}

const parse = (line: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(line)
  return isRecord(value) ? value : {}
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const toShown = (value: unknown): string => escapeControls(toText(value))

/** Indented, so that none looks like a line of the log. */
const toLines = (text: string): string =>
  text
    .split('\n')
    .map(line => `    ${toShown(line)}`)
    .join('\n')
