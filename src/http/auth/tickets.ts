import { SluiceError } from '../../errors.ts'
import type { CheckedTicket, Headers } from '../call/call.ts'
import type { FailedLogins } from './failed-logins.ts'

/**
 * Checks the token of `Authorization: Negotiate`, in base 64.
 * @returns the principal with its realm, and what proves this server to the client
 * @throws TicketRefused, SluiceError `overloaded`
 */
export type AcceptTicket = (
  token: string,
) => Promise<{ readonly principal: string; readonly answer: string | undefined }>

/** A ticket that is refused; the message is for its sender, the cause for the log. */
export class TicketRefused extends Error {
  override readonly name = 'TicketRefused'
}

export type TicketsOptions = {
  readonly accept: AcceptTicket
  readonly failedLogins: Pick<FailedLogins, 'note' | 'forget'>
  /** Why a principal has no identity here; undefined for one that has. */
  readonly problemOf: (principal: string) => string | undefined
  readonly refuse: (message: string) => SluiceError
}

/** Checks the ticket of a call; undefined without one. A refusal is delayed after many refusals. */
export type CheckTicket = (call: Headers) => Promise<CheckedTicket> | undefined

export const createTickets = (options: TicketsOptions): CheckTicket => {
  const { accept, failedLogins, problemOf, refuse } = options
  const check = async (token: string, peer: string): Promise<CheckedTicket> => {
    try {
      const { principal, answer } = await accept(token)
      const problem = problemOf(principal)
      if (problem !== undefined) throw new TicketRefused(problem)
      failedLogins.forget(peer)
      return { subject: principal, answer }
    } catch (error) {
      if (error instanceof SluiceError) return { refusal: error }
      if (!(error instanceof TicketRefused)) throw error
      const { message, cause } = error
      await failedLogins.note(peer, cause instanceof Error ? `${message} (${cause.message})` : message)
      return { refusal: refuse(message) }
    }
  }
  return call => {
    const token = /^negotiate(?: +(.*))?$/i.exec(call.header('authorization') ?? '')
    return token === null ? undefined : check(token[1]?.trim() ?? '', call.peer ?? '')
  }
}
