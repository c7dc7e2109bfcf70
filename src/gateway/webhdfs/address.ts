import { createQuery } from '../../contract/query.ts'
import type { Call } from '../../http/call/call.ts'
import { toBaseUrl, toServerAddress } from '../../http/origin/origin.ts'

/** The part of a call that an address is made of. */
export type CalledAddress = Pick<Call, 'target' | 'secure'> & { header(name: string): string | undefined }

/** What this address says itself, and the client must not. */
const own: ReadonlySet<string> = new Set(['noredirect', 'data'])

/**
 * The address where the bytes of this call are sent to, or read from: this server, under the name that the client knows
 * it by, and with everything that the client said. Absolute, because Hadoop's client takes no other.
 */
export const toDataAddress = (call: CalledAddress): string => {
  const kept = createQuery(call.target, 'any-case')
    .list()
    .filter(({ name }) => !own.has(name))
  return `${toFileAddress(call)}?${[...kept.map(({ text }) => text), 'data=true'].join('&')}`
}

/** The address of a stored file. */
export const toFileAddress = (call: CalledAddress): string =>
  `${toBaseUrl(toServerAddress(call))}${call.target.replace(/[?#].*/s, '')}`
