/**
 * Keys of senders within what is kept of refused requests: those of a door ({@link keysOf}) wherever its bodies, targets and
 * headers have them, and what is called a secret in a URL wherever there is one. Bytes that cannot be looked into are not kept.
 * Events that were parsed have lost their keys by then.
 */
import { Buffer } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import { hideInPath, isSecretParameter } from '../../log/hide-secrets.ts'
import { withoutMark } from '../doors/door-format.ts'
import { findJson } from '../doors/hidden-json.ts'
import { keysOf } from '../formats/doors.ts'
import type { Sent } from '../live/feed.ts'
import { maxStoredBytes } from '../live/recent.ts'
import { decodePart, findMember, mask, maskBytes, maskPairs } from './mask-text.ts'

/**
 * What is kept of a body.
 * @param isDecoded whether its `Content-Encoding` is undone
 */
export const maskBody = (operationId: string, sent: Sent, isDecoded: boolean): Sent => {
  const members = namesOf(operationId)
  if (members.length === 0) return sent
  const masked = isDecoded ? orNothing(() => maskBytes({ members }, withoutMark(sent.bytes)), nothing) : nothing
  // The length shows that something was cut off, or is not kept.
  const rest = masked.length === 0 ? sent.bytes.length : 0
  return {
    bytes: new Uint8Array(masked.subarray(0, maxStoredBytes)),
    length: sent.length - sent.bytes.length + masked.length + rest,
  }
}

const nothing = Buffer.alloc(0)

/** What is kept of a URL, or of a header that may have one or more. */
export const maskUrl = (operationId: string, url: string): string =>
  orNothing(() => maskPairs(namesOfUrl(operationId), hideInPath(url)), mask)

/**
 * What is kept of the target of a request; where the target is itself an event, values that are not secret stay as they
 * are.
 */
export const maskTarget = (operationId: string, { method, target }: { method: string; target: string }): string => {
  const { members, isParameter } = namesOfUrl(operationId)
  if (method !== 'GET') return maskUrl(operationId, target)
  return target.replaceAll(/(?<=[?&])([^?&=]{1,200})=[^&]*/g, (pair, name: string) =>
    isParameter(name) || members.includes(decodePart(name)) ? `${name}=${mask}` : pair,
  )
}

/** The key that a body says, as its door finds it in one that it can read; undefined where it says none. */
export const findKey = (operationId: string, { bytes }: Sent): string | undefined => {
  const names = namesOf(operationId)
  if (names.length === 0) return undefined
  const text = orNothing(() => findJson(withoutMark(bytes)).toString('latin1'), '')
  const found = findMember(names, text)
  if (found === undefined) return undefined
  try {
    return String(JSON.parse(`"${Buffer.from(found, 'latin1').toString('utf8')}"`))
  } catch {
    return found
  }
}

const orNothing = <T>(make: () => T, otherwise: T): T => {
  try {
    return make()
  } catch (error) {
    if (error instanceof SluiceError) return otherwise
    throw error
  }
}

/** Names of members and parameters, anywhere in the request. */
const namesOf = (operationId: string): readonly string[] =>
  keysOf(operationId).map(path => path.split('.').at(-1) ?? path)

const namesOfUrl = (operationId: string) => ({ members: namesOf(operationId), isParameter: isSecretParameter })
