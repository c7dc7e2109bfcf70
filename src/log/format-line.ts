/** Turns a JSON log line into one for people: `12:34:56 INFO  listening  url=http://…`. */
export const formatLine = (line: string): string => {
  const { time, level, msg, err, ...fields } = parse(line)
  const clock = typeof time === 'string' ? time.slice(11, 19) : ''
  const details = Object.entries(fields).map(([key, value]) => `  ${key}=${toText(value)}`)
  const stack = isRecord(err) ? `\n${indent(toText(err['stack'] ?? err['message']))}` : ''
  return `${clock} ${toText(level).toUpperCase().padEnd(5)} ${toText(msg)}${details.join('')}${stack}\n`
}

const parse = (line: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(line)
  return isRecord(value) ? value : {}
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const indent = (text: string): string => text.replace(/^/gm, '    ')

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
