import { createHolding, holdingRowBytes } from '../http/body/holding.ts'
import { counterRowBytes, toCounterRows } from './counter-rows.ts'
import { createCounters } from './counters.ts'
import { createDesk, type Desk, type DeskOptions } from './desk.ts'
import { createDoor, type Door, type DoorOptions } from './door.ts'
import type { Clock } from './intake.ts'
import { createQuotaMemory } from './quota/sender-buckets.ts'
import { defaultCollectorSettings } from './settings.ts'
import type { AftermathParts } from './submit/keep.ts'
import { createKeeper } from './submit/keeper.ts'

/** The dependencies of the collector: a door and the desk behind it. */
export type CollectorOptions = Omit<DeskOptions, 'settings' | 'clock' | 'figures'> &
  Pick<AftermathParts, 'forward'> &
  Pick<DoorOptions, 'validate' | 'authorizeKey'> & {
    /** @default the settings table's */
    readonly settings?: DoorOptions['settings']
    /** Threads that take events beside this one: see `src/edges/`. @default 0 */
    readonly edgeThreads?: number
    /** @default the system's clocks */
    readonly clock?: Clock
  }

/** Intake of events over HTTP, and the part of it that other transports share; what watches and steers it. */
export type Collector = Omit<Door, 'handlers'> &
  Omit<Desk, 'handlers'> & {
    readonly handlers: Door['handlers'] & Desk['handlers']
    /** Memory of counters and of what requests hold, a row for each thread; that of this one is 0. */
    readonly rows: { readonly counters: SharedArrayBuffer; readonly holding: SharedArrayBuffer }
    /** The debts of senders, for all threads. */
    readonly quotaMemory: SharedArrayBuffer
  }

/**
 * Wires the collector; it holds no resources of its own.
 * @throws SluiceError `bad-parameter` for a filter
 */
export const createCollector = (options: CollectorOptions): Collector => {
  const { spool, settings = () => defaultCollectorSettings, clock = systemClock, edgeThreads = 0 } = options
  const { forward, validate, authorizeKey } = options
  const rows = {
    counters: new SharedArrayBuffer((1 + edgeThreads) * counterRowBytes),
    holding: new SharedArrayBuffer((1 + edgeThreads) * holdingRowBytes),
  }
  const counters = createCounters({ rows: toCounterRows(rows.counters) })
  const desk = createDesk({ ...options, settings, clock, figures: counters })
  const { filters, live, tellRefusal, slowed } = desk
  const keeper = createKeeper({ spool, counters, forward, live })
  const holding = createHolding(rows.holding)
  const parts = { keeper, counters, settings, clock, tellRefusal, filters, validate, authorizeKey }
  const quotaMemory = createQuotaMemory()
  const door = createDoor({ ...parts, holding, quotaMemory, tellSlowed: sender => slowed.add(sender, 1) })
  return { ...door, ...desk, rows, quotaMemory, handlers: { ...door.handlers, ...desk.handlers } }
}

const systemClock: Clock = { now: Date.now, monotonicMs: () => performance.now() }
