import type { MiddlewareHandler } from 'hono'
import type { Auth } from '../http/auth/auth.ts'
import { keepTicket, toBaseCall } from '../http/call/to-call.ts'

/**
 * Looks at the ticket of a request (`Authorization: Negotiate`) before its route does, and lets a good answer prove this
 * server to the client, who may ask for that (RFC 4559 §5). Undefined where no tickets count.
 */
export const createTicketStep = ({ checkTicket }: Pick<Auth, 'checkTicket'>): MiddlewareHandler | undefined =>
  checkTicket &&
  (async (context, next) => {
    const ticket = await checkTicket(toBaseCall(context))
    if (ticket === undefined) return next()
    keepTicket(context, ticket)
    await next()
    if (ticket.refusal === undefined && ticket.answer !== undefined && context.res.status !== 401) {
      context.header('www-authenticate', `Negotiate ${ticket.answer}`)
    }
  })
