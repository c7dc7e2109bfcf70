/**
 * A text that a caller in plain JavaScript may have left out.
 * @param what the place, such as `url of the sender`
 * @throws TypeError naming it
 */
export const requireText = (value: unknown, what: string, expected: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`The ${what} is ${toShown(value)}; expected ${expected}`)
}

/** A port of TCP. @throws TypeError naming it */
export const requirePort = (value: unknown, what: string): number => {
  const port = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new TypeError(`The ${what} is ${toShown(value)}; expected a number from 1 to 65535`)
}

/** The base of addresses. @throws TypeError naming it */
export const requireUrl = (value: unknown, what: string): string => {
  const expected = 'an absolute one such as http://127.0.0.1:8080'
  const url = requireText(value instanceof URL ? value.href : value, what, expected)
  if (/^https?:\/\/[^/]/i.test(url)) return url
  throw new TypeError(`The ${what} is ${toShown(url)}; expected ${expected}`)
}

const toShown = (value: unknown): string => {
  if (value === undefined) return 'missing'
  if (value === '') return 'empty'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  return typeof value === 'number' ? `${value}` : `of the type ${typeof value}`
}
