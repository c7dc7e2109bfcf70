import { forwardedFor } from '../origin/header-text.ts'

/** A finished request, as the access log records it. Headers are as sent, a character for each byte. */
export type Access = {
  /** The name of the listener that had it. */
  readonly listener: string
  /** Address of the TCP peer; empty when it was gone at once. */
  readonly peer: string
  readonly forwardedFor: string | undefined
  /** The caller, if that was checked and known. */
  readonly user: string | undefined
  /** When it began, in ms since the epoch. */
  readonly at: number
  readonly durationMs: number
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** `1.1` */
  readonly httpVersion: string
  /** What was answered, or {@link unanswered}. */
  readonly status: number
  /** Bytes of content that were written, without head and chunk framing. */
  readonly bytes: number
  readonly referer: string | undefined
  readonly userAgent: string | undefined
  readonly traceparent: string | undefined
}

/** The status if the connection ended before an answer began, as in the logs of nginx. */
export const unanswered = 499

/** Hears of each request when it is over. */
export type OnAccess = (access: Access) => void

/** Where headers are read from: names are in lower case. */
type Headers = (name: string) => string | undefined

/** The part of an access that comes from the headers of its request. */
export const ofHeaders = (header: Headers): Pick<Access, 'forwardedFor' | 'referer' | 'userAgent' | 'traceparent'> => ({
  forwardedFor: forwardedFor(header),
  referer: header('referer'),
  userAgent: header('user-agent'),
  traceparent: header('traceparent'),
})
