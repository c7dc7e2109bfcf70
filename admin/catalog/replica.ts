import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { perTurn } from '../../src/beans/per-turn.ts'
import type { ValueType } from '../../src/beans/value.ts'

/** What the bean shows of the log in HDFS, as the spool knows it. */
export type ReplicaFigures = {
  readonly state: string
  readonly since: number
  readonly reason: string
  readonly directory: string
  readonly copies: number
  readonly behindBytes: number
  readonly localEvents: number
  readonly watched: readonly { readonly id: string; readonly silentMs: number }[]
  readonly takingOver: readonly { readonly id: string; readonly waitingEvents: number; readonly problem: string }[]
  readonly takenOver: number
  readonly takenOverEvents: number
  readonly setAside: number
  readonly returnedEvents: number
  readonly wasFenced: boolean
}

/** Where the log is on the local disk alone. */
export const replicaOff: ReplicaFigures = {
  state: 'off',
  since: 0,
  reason: '',
  directory: '',
  copies: 0,
  behindBytes: 0,
  localEvents: 0,
  watched: [],
  takingOver: [],
  takenOver: 0,
  takenOverEvents: 0,
  setAside: 0,
  returnedEvents: 0,
  wasFenced: false,
}

const figures: readonly (readonly [keyof ReplicaFigures, ValueType, string])[] = [
  [
    'state',
    'string',
    'How the log in HDFS is: off (collector.ack is not replicated), unproven (not yet seen to be its own), in-step, away (HDFS does not take it), fenced (another collector has it).',
  ],
  ['since', 'long', 'When that began, in ms since the epoch; 0 where it is off.'],
  ['reason', 'string', 'Why it is not in step; empty where it is.'],
  ['directory', 'string', 'Where it is.'],
  ['copies', 'long', 'DataNodes that have the group of events which was synced last.'],
  ['behindBytes', 'long', 'Bytes of the local disk that it does not have.'],
  [
    'localEvents',
    'long',
    'Events acknowledged without it since the start, with collector.replicated.when-unavailable local.',
  ],
  ['watched', 'list', 'Other collectors, and for how long each has shown no sign of life, in ms.'],
  [
    'takingOver',
    'list',
    'Collectors that are being taken over: events that are not in the file system, and what holds them up.',
  ],
  ['takenOver', 'long', 'Collectors taken over since the start: their events are in the file system.'],
  [
    'takenOverEvents',
    'long',
    'Events of those that are in the file system; their own collectors had committed some of them before they were lost.',
  ],
  [
    'setAside',
    'long',
    'Spools of this collector in fenced/: another collector has taken over their logs, and something of them is left here.',
  ],
  [
    'returnedEvents',
    'long',
    'Events of such spools that had not been taken over, and are in the new spool of this collector, since the start.',
  ],
  [
    'wasFenced',
    'boolean',
    'Whether this start began under a new id, because another collector had taken over the log of this one.',
  ],
]

/** How safe the log is beyond this machine, and whose logs this collector looks after. */
export const replicaBean = (vendor: string, status: () => ReplicaFigures | undefined): Bean => {
  const current = perTurn(() => status() ?? replicaOff)
  const rows = figures.map(([name, type, description]) => [
    `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    attribute(type, description, () => current()[name]),
  ])
  return defineBean({
    name: `${vendor}.metrics.collector:name=Replica`,
    description: 'The log in HDFS (collector.ack replicated), and the collectors that are taken over.',
    attributes: Object.fromEntries(rows),
  })
}
