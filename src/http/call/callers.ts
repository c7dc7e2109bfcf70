import type { IncomingMessage } from 'node:http'
import type { Identity } from './call.ts'

/** The known sender of a request, for as long as it lasts. */
const names = new WeakMap<IncomingMessage, string>()

/** Notes who the caller was. A caller that was not asked to authenticate stays without a name. */
export const noteCaller = (incoming: IncomingMessage, { name }: Identity): void => void names.set(incoming, name)

/** The sender of a request, if it was checked. */
export const callerOf = (incoming: IncomingMessage): string | undefined => names.get(incoming)
