import type { Call } from '../../http/call.ts'
import { toBaseUrl, toServerAddress } from '../../http/origin.ts'

/** The part of a call that an address is made of. */
export type CalledAddress = Pick<Call, 'target' | 'secure'> & { header(name: string): string | undefined }

/**
 * The address where the bytes of this call are sent to, or read from: this server, under the name that the client knows
 * it by, and with everything that the client said. Absolute, because Hadoop's client takes no other.
 */
export const toDataAddress = (call: CalledAddress): string => {
  const [address = '', query = ''] = toAddress(call).split('?', 2)
  const kept = query.split('&').filter(parameter => !/^(noredirect|data)(=|$)/.test(parameter))
  return `${address}?${[...kept, 'data=true'].join('&')}`
}

/** The address of a stored file. */
export const toFileAddress = (call: CalledAddress): string => toAddress(call).replace(/\?.*/s, '')

const toAddress = (call: CalledAddress): string => `${toBaseUrl(toServerAddress(call))}${call.target}`
