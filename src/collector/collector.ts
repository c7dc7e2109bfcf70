import { createCounters } from './counters.ts'
import { createDesk, type Desk, type DeskOptions } from './desk.ts'
import { createDoor, type Door, type DoorOptions } from './door.ts'
import type { Clock } from './intake.ts'
import { defaultCollectorSettings } from './settings.ts'
import type { AftermathParts } from './submit/keep.ts'
import { createKeeper } from './submit/keeper.ts'

/** What the collector is made of: a door and the desk behind it. */
export type CollectorOptions = Omit<DeskOptions, 'settings' | 'clock' | 'figures'> &
  Pick<AftermathParts, 'forward'> &
  Pick<DoorOptions, 'validate' | 'setAside' | 'authorizeKey'> & {
    /** @default the settings table's */
    readonly settings?: DoorOptions['settings']
    /** @default the system's clocks */
    readonly clock?: Clock
  }

/** Intake of events over HTTP, and the part of it that other transports share; what watches and steers it. */
export type Collector = Omit<Door, 'handlers'> &
  Omit<Desk, 'handlers'> & { readonly handlers: Door['handlers'] & Desk['handlers'] }

/**
 * Wires the collector; it holds no resources of its own.
 * @throws SluiceError `bad-parameter` for a filter
 */
export const createCollector = (options: CollectorOptions): Collector => {
  const { spool, settings = () => defaultCollectorSettings, clock = systemClock } = options
  const { forward, validate, setAside, authorizeKey } = options
  const counters = createCounters()
  const desk = createDesk({ ...options, settings, clock, figures: counters })
  const { filters, live, tellRefusal } = desk
  const keeper = createKeeper({ spool, counters, forward, live })
  const door = createDoor({ keeper, counters, settings, clock, tellRefusal, filters, validate, setAside, authorizeKey })
  return { ...door, ...desk, handlers: { ...door.handlers, ...desk.handlers } }
}

const systemClock: Clock = { now: Date.now, monotonicMs: () => performance.now() }
