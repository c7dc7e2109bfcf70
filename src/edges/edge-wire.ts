import type { MessagePort } from 'node:worker_threads'
import type { ScribePlace } from '../collector/scribe/settings.ts'
import type { FilterSettings } from '../collector/settings.ts'
import type { Settings } from '../config/table.ts'
import type { Access } from '../http/access/access.ts'
import type { TokenEntry } from '../http/auth/token-file.ts'
import type { SharedCounts } from '../http/edge/shared-counts.ts'
import type { KeyPair } from '../http/edge/tls.ts'
import type { EdgeLimits } from '../http/limits.ts'
import type { LogLine } from '../log/log-line.ts'
import type { KnownTypes } from '../rows/registrar/registrar.ts'
import type { RemoteDoorStart } from './event-messages.ts'

/** The start data of an edge thread. */
export type EdgeStart = {
  /** Of the listener. */
  readonly name: string
  readonly host: string
  /** Found free by the main thread. */
  readonly port: number
  readonly limits: EdgeLimits
  readonly hstsSeconds: number
  /** How many lines of the access log the main thread has taken of this thread; undefined without such a log. */
  readonly accessesTaken: Int32Array | undefined
  readonly maxOpenFiles: number | undefined
  readonly counts: SharedCounts
  /** Of {@link counts}, and the number of the thread. */
  readonly row: number
  /** Where connections go that are nothing for the thread. */
  readonly tunnels: readonly string[]
  readonly state: EdgeState
  /** How events are taken; undefined where none are: then everything goes through the tunnels. */
  readonly events: EdgeDoorStart | undefined
  /** Where Scribe is spoken, found free by the main thread; undefined where it is not. */
  readonly scribe: ScribePlace | undefined
  /** When the server was started, in ms since the epoch: what a thread in another's place says of itself is of all. */
  readonly startedAt: number
}

/** What an edge thread needs to take events: a port to the desk, and what that says first. */
export type EdgeDoorStart = { readonly port: MessagePort; readonly door: RemoteDoorStart }

/** What steers edge threads and can change while they run, each as a whole value. */
export type EdgeState = {
  readonly settings: Settings
  readonly tokens: readonly TokenEntry[]
  readonly schemas: KnownTypes
  /** Undefined without a collector. */
  readonly filters: FilterSettings | undefined
  readonly certificate: KeyPair | undefined
}

/** What the main thread says to an edge thread. */
export type EdgeWord =
  /** These hold from now on; to be answered by `in-force` with the number. */
  | { readonly kind: 'state'; readonly number: number; readonly changes: Partial<EdgeState> }
  /** To be answered by `present`. */
  | { readonly kind: 'probe' }
  /** Takes no more connections, and brings those it has to their ends. */
  | { readonly kind: 'drain' }

/** What an edge thread says. */
export type EdgeNews =
  | { readonly kind: 'listening' }
  /** It cannot listen. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }
  | { readonly kind: 'in-force'; readonly number: number }
  | { readonly kind: 'present' }
  | { readonly kind: 'accesses'; readonly accesses: readonly Access[] }
  | ({ readonly kind: 'log' } & LogLine)
  /** No connection is left. */
  | { readonly kind: 'drained' }
