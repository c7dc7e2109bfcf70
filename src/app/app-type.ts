import type { StartPassProcess } from '../compaction/hourly/run-pass.ts'
import type { Config } from '../config/config.ts'
import type { Settings } from '../config/table.ts'
import type { Disk } from '../disk/disk.ts'
import type { EdgeThreadsOptions } from '../edges/edge-threads.ts'
import type { EdgeWorkerOptions } from '../edges/edge-worker.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { AcceptTicket } from '../http/auth/tickets.ts'
import type { Logger, ProcessLogger } from '../log/log.ts'
import type { BucketBounds } from '../spool/seal/bucket-bounds.ts'
import type { SpoolOptions } from '../spool/spool-options.ts'
import type { Reloaded } from './reload.ts'

/** A listener of the running server, for the line that a person clicks on. */
export type Listener = {
  /** `server` serves the collector and, without a listener of its own, the gateway. */
  readonly name: 'server' | 'gateway' | 'admin' | 'scribe'
  readonly host: string
  /** The port that is really bound, also where the setting says 0. */
  readonly port: number
  /** `http://…`, `https://…`, or `tcp://…` for Scribe. */
  readonly url: string
}

/** What the process hands to the composition root. */
export type AppOptions = {
  readonly settings: Settings
  readonly logger: Logger & Partial<Pick<ProcessLogger, 'setLevel'>>
  /** Reads the settings again from their sources. @default they stay as they are. @throws SettingsError */
  readonly readSettings?: () => Pick<Config, 'settings' | 'warnings'>
  /** Only a new process can continue, and the log has the reason. @default nothing */
  readonly onBroken?: () => void
}

/** What a test puts in place of the real parts. */
export type AppParts = Pick<SpoolOptions, 'now' | 'random' | 'heartbeat'> & {
  readonly fileSystem?: FileSystem
  /** In place of the one that the keytab makes, where the setting names one. */
  readonly acceptTicket?: AcceptTicket
  /** Under the spool, which then runs in this thread alone. */
  readonly disk?: Disk
  /** Of the bucket files on that disk. @default as on any other */
  readonly bucketBounds?: BucketBounds
  /** In place of what starts threads that take connections. */
  readonly startEdgeThread?: EdgeWorkerOptions['startThread']
  /** Replaces the check whether such a thread would run other code. */
  readonly watchCode?: EdgeThreadsOptions['watchCode']
  /** In place of what starts a process that merges files of tables. */
  readonly startPass?: StartPassProcess
  /** In place of the timer of the management: gets what is to be called every `tickMs`, and gives what ends it. */
  readonly everyTick?: (tick: () => void) => () => void
}

/** Answers requests without a socket: tests, Deno and Bun. */
export type Fetch = (request: Request, env?: unknown) => Response | Promise<Response>

/** The whole server, put together but not listening yet. */
export type App = {
  /** Routes of the `server` listener: the collector and, unless it has its own listener, the gateway. */
  readonly fetch: Fetch
  /** Routes of the `gateway` listener, where `gateway.port` is set. */
  readonly gatewayFetch?: Fetch
  /** Routes of the `admin` listener. */
  readonly adminFetch: Fetch
  /** Opens what needs opening and listens; rejects when a port is taken or the spool is locked, leaving nothing open. */
  start(): Promise<readonly Listener[]>
  /** Continues in new log files of the same names, after the old ones were moved away. */
  reopenLogs(): void
  /**
   * Reads the settings again; those that need no restart hold when it returns. The outcome is logged.
   * @throws Error when the new ones cannot be used: nothing has changed then
   */
  reload(): Reloaded
  /** Readiness off, answers with `Connection: close`, finishes what is in flight, seals, lets the spool's lock go. */
  close(): Promise<void>
}
