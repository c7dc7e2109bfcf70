import { SluiceError } from '../../errors.ts'
import { checkEventName, encodeEventName } from '../../spool/bucket.ts'

/**
 * An event name made of whatever a sender of another make calls its event: what no name may have becomes `_`, and what is
 * too long is cut. The payload keeps what was sent, so that no event has to be refused for its name.
 * @param fallback the name of an event without one
 */
export const toEventName = (sent: unknown, fallback: string): string => {
  if (typeof sent !== 'string' || sent.trim() === '') return fallback
  if (isUsable(sent)) return sent
  const clean = sent.toWellFormed().replace(/[\p{Cc}/\\]/gu, '_')
  let name = ''
  let bytes = 0
  // Never cut within a character.
  for (const char of clean) {
    bytes += encodeEventName(`x${char}`).length - 1
    if (bytes > maxBytes) break
    name += char
  }
  return name
}

/** Two fewer than there may be: a first `_` or `.` takes three. */
const maxBytes = 253

const isUsable = (name: string): boolean => {
  try {
    checkEventName(name)
    return true
  } catch (error) {
    if (error instanceof SluiceError) return false
    throw error
  }
}
