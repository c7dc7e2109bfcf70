import { usageError } from '../command/failure.ts'
import { parseTimeSpan } from '../command/time-span.ts'
import type { GatewayCalls } from './gateway.ts'
import { getFileStatus } from './webhdfs.ts'

/**
 * A point in time, in ms since the epoch: a span before now (`6h`), a date in UTC (`2026-11-23`, `2026-11-23T14:00`), or
 * when a file of the gateway was changed (its path).
 * @throws CliError `usage`, or as the gateway's for a path
 */
export const parseMoment = async (text: string, gateway: GatewayCalls, now: number): Promise<number> => {
  return text.startsWith('/') ? (await getFileStatus(gateway, text)).mtime : parseTime(text, now)
}

/** The same, without paths. @throws CliError `usage` */
export const parseTime = (text: string, now: number): number => {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return now - parseTimeSpan(text)
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$|^.{10}$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(ms))
    throw usageError(`${text.slice(0, 40)} is not a date`, 'Give one such as 2026-11-23 or 2026-11-23T14:00.')
  return ms
}
