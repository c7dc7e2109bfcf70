/**
 * What the server and a reader say to one another: calls, errors, and what is beside the answers. The bytes around them are
 * those of `frames.ts`; both ends are of one version.
 */
import { type ErrorFields, fromErrorFields, toErrorFields } from '../errors.ts'
import { FileSystemError, type FileSystemErrorCode } from '../filesystem/filesystem.ts'
import type { Reads } from '../gateway/reads.ts'
import type { Call, Identity } from '../http/call/call.ts'
import { type Role, roles } from '../http/roles.ts'
import { isRecord } from '../is-record.ts'
import { hideInText } from '../log/hide-secrets.ts'
import type { LogLine } from '../log/log-line.ts'

/** A call whose caller may make it. */
export type ReadRequest = {
  readonly read: keyof Reads
  readonly operationId: string
  readonly method: string
  readonly target: string
  readonly params: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly peer: string
  readonly secure: boolean
  readonly caller: { readonly name: string; readonly roles: readonly Role[] } | undefined
}

/** A caller's credentials stay within the process that serves. */
const secrets: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

export const toReadRequest = (read: keyof Reads, call: Call<unknown>): ReadRequest => ({
  read,
  operationId: call.operationId,
  method: call.method,
  target: hideInText(call.target),
  params: isRecord(call.params) ? { ...call.params, delegation: undefined } : call.params,
  headers: Object.fromEntries(Object.entries(call.headers).filter(([name]) => !secrets.has(name))),
  peer: call.peer,
  secure: call.secure,
  caller: call.caller && { name: call.caller.name, roles: roles.filter(role => call.caller?.has(role)) },
})

/** The call again, without a body. */
export const toCall = (request: ReadRequest, signal: AbortSignal): Call<unknown> => {
  const { operationId, method, target, params, headers, peer, secure, caller } = request
  const identity: Identity | undefined = caller && { name: caller.name, has: role => caller.roles.includes(role) }
  return {
    operationId,
    method,
    target,
    params,
    headers,
    peer,
    secure,
    signal,
    caller: identity,
    header: name => headers[name],
    bytes: async () => new Uint8Array(),
    stream: () => null,
  }
}

/** Something thrown, as text: what a client may know of it, or else what is logged. */
export const printError = (error: unknown): string =>
  JSON.stringify({ ...toErrorFields(error), path: error instanceof FileSystemError ? error.path : undefined })

/** The same thing, to be thrown. */
export const parseError = (text: string): Error => {
  const { path, ...fields } = JSON.parse(text) as ErrorFields & {
    /** Of an error of a file system. */
    readonly path?: string
  }
  // It was one of these codes when it was printed.
  if (path !== undefined) return new FileSystemError(fields.code as FileSystemErrorCode, path, fields.message)
  return fromErrorFields(fields)
}

/** What a reader receives at its start, over the channel between processes. */
export type ReaderStart<Setup> = {
  readonly setup: Setup
  /** Whether it says which files it opens: what comes last when it ends is what ended it. */
  readonly tellsFiles: boolean
}

/** What the server asks of it later: whether it still takes turns. */
export type ReaderPing = 'ping'

/** What a reader asks for: the token with which it calls a cluster on behalf of a user, or of the server. */
export type TokenRequest = {
  readonly kind: 'token'
  /** Of its answer. */
  readonly id: number
  readonly mountPoint: string
  readonly user: string | undefined
  /** The one before, where the cluster does not take it any more. */
  readonly refused: string | undefined
}

/** What it gets: a token, or something thrown, as text. */
export type TokenAnswer = { readonly kind: 'token'; readonly id: number } & (
  | { readonly token: string }
  | { readonly error: string }
)

/** All that the server says to a reader after its start. */
export type ReaderWord = ReaderPing | TokenAnswer

/** What a reader says beside its answers. */
export type ReaderNews =
  | TokenRequest
  /** It listens at this path, for one connection. */
  | { readonly kind: 'ready'; readonly path: string }
  /** It cannot start. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'pong' }
  | { readonly kind: 'opens'; readonly path: string }
  /** How long calls to file systems took, in ms. */
  | { readonly kind: 'upstream'; readonly ms: readonly number[] }
  | ({ readonly kind: 'log' } & LogLine)
