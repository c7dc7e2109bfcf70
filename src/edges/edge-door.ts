// node-only: messages between threads
import type { Door } from '../collector/door.ts'
import { createFilters, type Filters } from '../collector/filters.ts'
import { type FilterSettings, filterNames } from '../collector/settings.ts'
import { createLiveSettings, type LiveSettings } from '../config/live-settings.ts'
import { createLaneRoutes } from '../contract/lane-routes.ts'
import { loadPart } from '../contract/load.ts'
import type { Watched } from '../current.ts'
import { createTokenCallers } from '../http/auth/token-callers.ts'
import type { LaneRoutes } from '../http/call/base-call.ts'
import type { Registrar } from '../rows/registrar/registrar.ts'
import { createToldRegistrar } from '../rows/registrar/told-registrar.ts'
import { createDoorServices, toDoorParts } from './door-service.ts'
import type { EdgeDoorStart } from './edge-wire.ts'
import type { ReceivedState } from './received-state.ts'
import { createRemoteDoor } from './remote-door.ts'

/** The collector's door in an edge thread, steered by what the main thread sends. */
export type EdgeDoor = { readonly door: Door; readonly live: LiveSettings; readonly routes: LaneRoutes }

export const createEdgeDoor = async ({ port, door: start }: EdgeDoorStart, state: ReceivedState): Promise<EdgeDoor> => {
  const live = createLiveSettings(state.settings.current())
  state.settings.onChange(settings => live.prepare(settings).hold())
  const registrar = await createRegistrarOf(state)
  const clock = { now: Date.now, monotonicMs: () => performance.now() }
  const filters = followFilters(state.filters)
  const callers = createTokenCallers(state.tokens.current)
  const door = createRemoteDoor({ ...toDoorParts(live, registrar, callers), port, start, clock, filters })
  const { events, doors } = createDoorServices(door, live, callers)
  return { door, live, routes: createLaneRoutes(loadPart([...events.tags, ...doors.tags]), events, doors) }
}

const createRegistrarOf = async ({ settings, schemas }: ReceivedState): Promise<Registrar> => {
  const hasContracts = settings.current()['registrar.path'] !== undefined
  // What compiles schemas is loaded only where there can be some.
  const compile = hasContracts ? (await import('../event-contracts/compile-contract.ts')).compileContract : noContract
  const registrar = createToldRegistrar(schemas.current(), compile)
  schemas.onChange(known => registrar.learn(known))
  return registrar
}

const noContract = (): never => {
  throw new TypeError('Contracts come from registrar.path alone')
}

const noPatterns: FilterSettings = { host: [], ip: [], useragent: [], path: [], 'event-type': [] }

const followFilters = (patterns: Watched<FilterSettings | undefined>): Filters => {
  const filters = createFilters(patterns.current() ?? noPatterns)
  patterns.onChange((next = noPatterns) => {
    for (const name of filterNames) filters[name].prepare(next[name])()
  })
  return filters
}
