// node-only: a native addon, and the environment of the process
/** Takes the tickets of callers: this server's side of SPNEGO (RFC 4178) over HTTP (RFC 4559). */
import { resolve } from 'node:path'
import { SluiceError } from '../errors.ts'
import { type AcceptTicket, TicketRefused } from '../http/auth/tickets.ts'
import { defaultEdgeLimits } from '../http/limits.ts'
import { type Kerberos, loadKerberos, messageOf } from './kerberos.ts'
import { checkKeytab } from './keytab.ts'

export type AcceptorOptions = {
  /** File with the keys of `HTTP/<host>@REALM`; read again for each ticket, so that new keys count at once. */
  readonly keytab: string
  /** @default the package `kerberos` */
  readonly kerberos?: Pick<Kerberos, 'initializeServer'>
}

/**
 * Any key of `HTTP/…` in the keytab, whatever the host. Without it a ticket for whatever else has its keys there would
 * do, one that was given to another service on this machine.
 */
const service = 'HTTP'
/** Work of the system's library runs on the four threads that files are written with: they must not all wait for it. */
const maxAtOnce = 2
/** More wait in vain: each takes a fraction of a millisecond. */
const maxWaiting = 500

/** @throws KerberosError naming the setting and what is wrong, before the first call */
export const createAcceptor = async (options: AcceptorOptions): Promise<AcceptTicket> => {
  const keytab = resolve(options.keytab)
  const kerberos = options.kerberos ?? (await loadKerberos(setting))
  await checkKeytab({
    setting,
    keytab,
    principal: `${service}/<host>@REALM`,
    isOne: one => one.startsWith(`${service}/`),
  })
  // The library asks the process for it, and nothing else.
  process.env['KRB5_KTNAME'] = `FILE:${keytab}`
  const atOnce = createTurnstile(maxAtOnce, maxWaiting)
  return async token => {
    checkForm(token)
    return atOnce(() => accept(kerberos, token))
  }
}

const setting = 'auth.kerberos.keytab'

const accept = async (kerberos: Pick<Kerberos, 'initializeServer'>, token: string): ReturnType<AcceptTicket> => {
  try {
    const context = await kerberos.initializeServer(service)
    const answer = (await context.step(token)) ?? undefined
    const { contextComplete, username } = context
    if (!contextComplete || !username) throw new Error('incomplete')
    return { principal: username, answer }
  } catch (cause) {
    const words = messageOf(cause)
    const known = knownWords.find(([pattern]) => pattern.test(words))
    throw new TicketRefused(known?.[1] ?? 'The Kerberos ticket is not valid here', { cause: new Error(words) })
  }
}

/** What the library says, and what callers may know of it: it may name files and keys of this machine. */
const knownWords: readonly (readonly [RegExp, string])[] = [
  [/skew/i, 'The Kerberos ticket cannot be checked: the clocks of client and server differ too much'],
  [/replay/i, 'The Kerberos ticket was sent before: each request needs a message of its own'],
  [/expired/i, 'The Kerberos ticket has ended'],
  [/not yet valid/i, 'The Kerberos ticket is not valid yet'],
  [
    /wrong principal|no (?:matching )?key|key table|keytab|key version|decrypt|integrity/i,
    'The Kerberos ticket is for another server, or for a key that this one does not have',
  ],
  // A conversation that has to continue names no principal yet, and the package complains that there is no name.
  [/incomplete|input parameter/i, 'The Kerberos conversation needs more than one request, which is not supported here'],
]

/** Refuses at once what no ticket is, and what is one of something else. @throws TicketRefused */
const checkForm = (token: string): void => {
  if (token.startsWith('TlRMTVNT')) {
    throw new TicketRefused('This is NTLM, not Kerberos: the client has no ticket for this server')
  }
  if (
    token === '' ||
    token.length > defaultEdgeLimits.maxHeaderBytes ||
    !/^[A-Za-z0-9+/]+={0,2}$/.test(token) ||
    token.length % 4 !== 0
  ) {
    throw new TicketRefused('Expected Authorization: Negotiate and a Kerberos message in base 64')
  }
  if (!isFirstMessage(Buffer.from(token.slice(0, 64), 'base64')))
    throw new TicketRefused('Expected the first message of SPNEGO or Kerberos')
}

/** Tag of a first message (RFC 2743 §3.1), which contains its mechanism. */
const initialMessage = 0x60
/** SPNEGO, and Kerberos as it is, which old clients in Java send. */
const mechanisms = [Buffer.from('06062b0601050502', 'hex'), Buffer.from('06092a864886f712010202', 'hex')]

/** The mechanism follows the tag and a length of one byte, or of as many as it says. */
const isFirstMessage = (bytes: Buffer): boolean => {
  if (bytes[0] !== initialMessage) return false
  const length = bytes[1] ?? 0
  const at = 2 + (length < 0x80 ? 0 : length & 0x7f)
  return mechanisms.some(one => bytes.subarray(at, at + one.length).equals(one))
}

/** Lets `most` work at a time, and `mostWaiting` wait. */
const createTurnstile = (most: number, mostWaiting: number) => {
  const waiting: (() => void)[] = []
  let working = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (working >= most) {
      if (waiting.length >= mostWaiting)
        throw new SluiceError('overloaded', 'Too many Kerberos logins are waiting; retry later')
      // A call that is done frees its place.
      await new Promise<void>(resolve => void waiting.push(resolve))
    } else working++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else working--
    }
  }
}
