import { action, attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { perTurn } from '../../src/beans/per-turn.ts'
import type { Audit } from '../audit.ts'
import type { RuntimeFigures } from '../runtime.ts'

/** One subsystem of the health report. */
export type HealthFigure = { readonly type: string; readonly code: string; readonly message: string }

/** Health, audit, runtime and settings: what concerns the server as a whole. */
export type ServerView = {
  readonly vendor: string
  readonly version: string
  readonly health: () => readonly HealthFigure[]
  /** What is wrong, for people: the same on the command line and in the console. */
  readonly problems: () => readonly object[]
  readonly audit: Audit
  readonly runtime: () => RuntimeFigures
  /** Name and version of what the process runs on. */
  readonly versions: Readonly<Record<string, string>>
  readonly pid: number
  /** ms since the epoch. */
  readonly startedAt: number
  /** Effective settings as text, secrets hidden. */
  readonly settings: () => Readonly<Record<string, string>>
  /** Values, as text, that wait for a restart. */
  readonly pending: () => Readonly<Record<string, string>>
  /** Reads the settings again. @throws BeanError when they cannot be used */
  readonly reload: () => Readonly<Record<string, unknown>>
  /** Addresses of the listeners by their names, with the ports that are really bound. */
  readonly listeners: () => Readonly<Record<string, string>>
}

/** The beans in the domain `<vendor>.metrics`. */
export const serverBeans = (view: ServerView): readonly Bean[] => [
  healthBean(view),
  auditBean(view),
  runtimeBean(view),
  defineBean({
    name: `${view.vendor}.metrics:name=Settings`,
    description: 'The settings that hold; secrets are hidden.',
    attributes: {
      Settings: attribute('map', 'Values as text, by key.', view.settings),
      Pending: attribute('map', 'Values that wait for a restart, as they were read last, by key.', view.pending),
      Listeners: attribute('map', 'URLs of what listens, by name; the ports are those that are bound.', view.listeners),
    },
    operations: {
      reload: action(
        'Reads the settings again, as SIGHUP does; what can change without a restart changes at once.',
        view.reload,
      ),
    },
  }),
]

const worstOf = (items: readonly HealthFigure[]): string =>
  ['ERROR', 'WARN'].find(code => items.some(item => item.code === code)) ?? 'OK'

const healthBean = ({ vendor, version, health, problems }: ServerView): Bean => {
  const current = perTurn(health)
  const items = (): Readonly<Record<string, HealthFigure>> =>
    Object.fromEntries(current().map(item => [item.type, item]))
  return defineBean({
    name: `${vendor}.metrics:name=Health`,
    description: 'The health report.',
    attributes: {
      Code: attribute('string', 'The worst of its items: OK, WARN, or ERROR when intake refuses.', () =>
        worstOf(current()),
      ),
      Items: attribute('map', 'Its items by type.', items),
      Problems: attribute(
        'list',
        'Problems, worst first: the cause, since when (ms since the epoch), what it means for events, and what to do.',
        problems,
      ),
      Version: attribute('string', 'Version of the server that it is about.', () => version),
    },
  })
}

const auditBean = ({ vendor, audit }: ServerView): Bean =>
  defineBean({
    name: `${vendor}.metrics:name=Audit`,
    description: 'Writes and operations of the management plane.',
    attributes: {
      Done: attribute('long', 'Carried out since the start.', () => audit.counts.ok),
      Denied: attribute('long', 'Refused because the role is missing.', () => audit.counts.denied),
      Failed: attribute('long', 'Failed, as a whole or in part.', () => audit.counts.failed),
      Recent: attribute('list', 'The newest, oldest first.', () => audit.recent()),
    },
  })

const runtimeBean = ({ vendor, version, versions, pid, startedAt, runtime }: ServerView): Bean => {
  const current = perTurn(runtime)
  const long = (description: string, figure: keyof RuntimeFigures) =>
    attribute('long', description, () => Math.round(current()[figure]))
  const double = (description: string, figure: keyof RuntimeFigures) =>
    attribute('double', description, () => current()[figure])
  return defineBean({
    name: `${vendor}.metrics:name=Runtime`,
    description: 'The process.',
    attributes: {
      Version: attribute('string', 'Version of the server.', () => version),
      Versions: attribute('map', 'Versions of what it runs on.', () => versions),
      Pid: attribute('long', 'Process id.', () => pid),
      StartTime: attribute('long', 'ms since the epoch.', () => startedAt),
      UptimeSeconds: double('Time since the start.', 'uptimeSeconds'),
      ResidentBytes: long('Memory of the process.', 'residentBytes'),
      HeapUsedBytes: long('Memory of objects.', 'heapUsedBytes'),
      HeapTotalBytes: long('Memory reserved for objects.', 'heapTotalBytes'),
      ExternalBytes: long('Memory outside the heap.', 'externalBytes'),
      ArrayBufferBytes: long('Of it, buffers.', 'arrayBufferBytes'),
      CpuUserMillis: long('CPU time in the program.', 'cpuUserMs'),
      CpuSystemMillis: long('CPU time in the system.', 'cpuSystemMs'),
      EventLoopDelayMean: double('Mean delay of timers, in ms.', 'eventLoopMeanMs'),
      EventLoopDelayMax: double('Longest delay of a timer, in ms.', 'eventLoopMaxMs'),
      EventLoopDelayTP99: double('99 % of the delays are at most this, in ms.', 'eventLoopP99Ms'),
      EventLoopUtilization: double('Share of time that it was busy.', 'eventLoopUtilization'),
    },
  })
}
