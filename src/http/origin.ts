import type { Call } from './call.ts'

const plainHost = /^[A-Za-z0-9.\-_]+(?::\d+)?$|^\[[0-9A-Fa-f:.]+\](?::\d+)?$/

/** Scheme and host under which a call came; `localhost` where it names no host, or one that has other characters. */
export const toOrigin = (call: Pick<Call<unknown>, 'header' | 'secure'>): string => {
  const host = call.header('host') ?? ''
  return `${call.secure ? 'https' : 'http'}://${plainHost.test(host) ? host : 'localhost'}`
}
