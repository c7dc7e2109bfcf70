// node-only: messages between threads
import type { MessagePort } from 'node:worker_threads'
import { toCounterRows } from '../collector/counter-rows.ts'
import { createCounters } from '../collector/counters.ts'
import { createDoor, type Door, type DoorOptions } from '../collector/door.ts'
import { createHolding } from '../http/body/holding.ts'
import type { RemoteDoorStart } from './event-messages.ts'
import { createRemoteKeeper } from './remote-keeper.ts'

export type RemoteDoorOptions = Omit<
  DoorOptions,
  'keeper' | 'counters' | 'tellRefusal' | 'tellSlowed' | 'holding' | 'quotaMemory'
> & {
  /** To the desk: see `event-desk.ts`. */
  readonly port: MessagePort
  readonly start: RemoteDoorStart
}

/** The collector's door in a thread of its own: what it takes is kept by the main thread. */
export const createRemoteDoor = ({ port, start, ...options }: RemoteDoorOptions): Door => {
  const { row, quotaMemory } = start
  const counters = createCounters({
    rows: toCounterRows(start.counters),
    row,
    tellMisfits: (api, events) => remote.tellMisfits(api, events),
  })
  const remote = createRemoteKeeper({ ...start, port, counters, now: () => options.clock.now() })
  const { keeper, tellRefusal, tellSlowed } = remote
  const told = { tellRefusal, tellSlowed }
  return createDoor({ ...options, ...told, keeper, counters, quotaMemory, holding: createHolding(start.holding, row) })
}
