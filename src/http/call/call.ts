import type { SluiceError } from '../../errors.ts'
import type { Role } from '../roles.ts'

/** The caller. */
export type Identity = {
  /** The name of the token or of the rule that is for the caller, or `anonymous` where no token is needed. */
  readonly name: string
  /** Whether the name is unproven, because callers do not authenticate. @default false */
  readonly isClaimed?: boolean
  /**
   * The external identity of a caller that is authenticated elsewhere: a principal with its realm, or `user:` and the
   * name that a proxy has set.
   */
  readonly subject?: string
  /** Whether he came by what he was given when he had proven it, and proves nothing now. @default false */
  readonly isDelegated?: boolean
  has(role: Role): boolean
}

/** The part of a call that identifies the caller. */
export type Headers = Pick<Call<unknown>, 'header'> & Partial<Pick<Call<unknown>, 'peer' | 'ticket' | 'identified'>>

/**
 * The outcome of a Kerberos ticket: the principal with its realm, and what proves this server to the client; or a
 * refusal.
 */
export type CheckedTicket =
  | { readonly subject: string; readonly answer: string | undefined; readonly refusal?: never }
  | { readonly refusal: SluiceError; readonly answer?: never }

/**
 * One HTTP call as a handler sees it: what the contract declares is already checked, the rest is read on demand, so
 * that a small request costs no web stream and no full `Request` on Node.
 */
export type Call<Params = Readonly<Record<string, never>>> = {
  readonly operationId: string
  /** `HEAD` reaches the handler of `GET`; the edge drops the body of the answer. */
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** Path, query and header parameters of the operation, validated and typed by the contract. */
  readonly params: Params
  /** The caller, if the contract asks for a role; undefined without authentication. */
  readonly caller?: Identity | undefined
  /** All request headers by their lower-case names; several of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** A request header by its lower-case name; several of one name are joined by `, `. */
  header(name: string): string | undefined
  /** Of the ticket sent with it, on routes that look at tickets. */
  readonly ticket?: CheckedTicket | undefined
  /** Hears who calls, once that is known: for the log of requests. */
  identified?(caller: Identity): void
  /** Address of the TCP peer, without brackets or zone; empty for in-memory calls. */
  readonly peer: string
  /** Whether the connection to this server is TLS. */
  readonly secure: boolean
  /** Aborts when the client goes away or the server ends at once. */
  readonly signal: AbortSignal
  /** The whole body as sent, if it arrived with the request, without any wait. */
  readonly whole?: Uint8Array | undefined
  /**
   * The whole body as sent (not decompressed), at most `maxBytes`.
   * @param onBytes hears of each piece before it is kept; no more is read until a promise that it gives has resolved,
   * and what it throws ends the reading
   * @param isBeginning `maxBytes` are enough: of a longer body these are returned, and the rest stays unread
   * @throws SluiceError `too-large` as soon as more is announced or arrives; `request-timeout`; `bad-request` when it
   * is cut short
   */
  bytes(maxBytes: number, onBytes?: OnBytes, isBeginning?: boolean): Promise<Uint8Array>
  /** The body as a stream, for uploads; null without a body. */
  stream(): ReadableStream<Uint8Array> | null
}

/** Hears how many bytes of a body have arrived. */
export type OnBytes = (bytes: number) => void | Promise<void>

/** Answers one call; may throw a `SluiceError`, which `errors.ts` turns into a response. */
export type Handler<Params = Readonly<Record<string, never>>> = (call: Call<Params>) => Response | Promise<Response>
