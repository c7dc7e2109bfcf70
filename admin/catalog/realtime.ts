import { type Attribute, action, attribute, type Bean, type BeanOperation, defineBean } from '../../src/beans/bean.ts'
import { BeanError } from '../../src/beans/bean-error.ts'
import { createObjectName } from '../../src/beans/object-name.ts'
import { perTurn } from '../../src/beans/per-turn.ts'
import type { BeanSource } from '../../src/beans/registry.ts'

/** Counts of forwarded events since the start: of one event type, or summed. */
export type RealtimeFigures = Readonly<Record<'enqueued' | 'sent' | 'dropped' | 'errored', number>>

/** The forwarding of one event type. */
export type RealtimeTypeFigures = RealtimeFigures & {
  readonly type: string
  readonly queueSize: number
  readonly maxQueueSize: number
}

/** The realtime subsystem as its beans see and steer it. Changes last until the next start. */
export type RealtimeView = {
  /** Whether events are forwarded: a broker is configured, and not disabled. */
  readonly isEnabled: () => boolean
  /** Events that arrived while it was disabled. */
  readonly ignored: () => number
  /** By event type. */
  readonly types: () => readonly RealtimeTypeFigures[]
  /** Of all types since the start, those included that are no longer forwarded. */
  readonly total: () => RealtimeFigures
  readonly enable: () => void
  readonly disable: () => void
  /** Whether it was new. @throws SluiceError for a name that cannot be an event type */
  readonly addType: (type: string) => boolean
  /** Whether it was there. */
  readonly removeType: (type: string) => boolean
}

/** The subsystem of a process that forwards nothing: all figures are zero, and it cannot be switched on. */
export const createRealtimeOff = (types: readonly string[], maxQueueSize: number): RealtimeView => {
  const refuse = (): never => {
    throw new BeanError('failed', 'Nothing can be forwarded: no broker is configured (realtime.broker)')
  }
  return {
    isEnabled: () => false,
    ignored: () => 0,
    types: () => types.map(type => ({ ...nothing, type, maxQueueSize })),
    total: () => nothing,
    enable: refuse,
    disable: () => {},
    addType: refuse,
    removeType: refuse,
  }
}

/** RTSubsystem and RTQueueStats (the collector's specification, §4.5). The stats of the types are a source: see {@link createRealtimeTypeSource}. */
export const realtimeBeans = (vendor: string, view: RealtimeView): readonly Bean[] => {
  const domain = `${vendor}.metrics.collector`
  const sums = perTurn(view.total)
  const names = (): readonly string[] => view.types().map(({ type }) => type)
  return [
    defineBean({
      name: `${domain}:name=RTQueueStats`,
      description: 'Events on their way to the broker. DroppedEvents rising means that the broker cannot keep up.',
      attributes: {
        ...figureAttributes(sums),
        IgnoredEvents: attribute('long', 'Events that came while forwarding was disabled.', view.ignored),
      },
    }),
    defineBean({
      name: `${domain}:name=RTSubsystem`,
      description: 'Forwards events of some types to the broker.',
      attributes: {
        Enabled: attribute('boolean', 'Whether events are forwarded.', view.isEnabled),
        TypesToCollect: attribute('string', 'Event types that are forwarded.', () => `[${names().join(', ')}]`),
      },
      operations: {
        enable: action('Forwards events again, until the next start.', () => switched(view, true)),
        disable: action('Stops forwarding, until the next start.', () => switched(view, false)),
        addTypeToCollect: typeOperation('Forwards one more event type, until the next start.', view.addType, names),
        removeTypeToCollect: typeOperation('Stops forwarding a type, until the next start.', view.removeType, names),
      },
    }),
  ]
}

/** One RTQueueStats bean for each type that is forwarded now. */
export const createRealtimeTypeSource = (vendor: string, { types }: RealtimeView): BeanSource => {
  const beans = new Map<string, Bean>()
  let list: readonly Bean[] = []
  const current = perTurn(types)
  const toBean = (type: string): Bean => {
    const figures = (): RealtimeTypeFigures => current().find(one => one.type === type) ?? { ...nothing, type }
    return defineBean({
      name: createObjectName(`${vendor}.metrics.collector`, { name: 'RTQueueStats', Type: type }),
      description: 'Events of one type on their way to the broker.',
      attributes: {
        ...figureAttributes(figures),
        QueueSize: attribute('int', 'Events that wait.', () => figures().queueSize),
        MaxQueueSize: attribute('int', 'Events that may wait.', () => figures().maxQueueSize),
      },
    })
  }
  return () => {
    const names = new Set(types().map(({ type }) => type))
    for (const type of beans.keys()) if (!names.has(type)) beans.delete(type)
    for (const type of names) if (!beans.has(type)) beans.set(type, toBean(type))
    const listed = new Set(list)
    const isSame = listed.size === beans.size && beans.values().every(bean => listed.has(bean))
    if (!isSame) list = [...beans.values()]
    return list
  }
}

/** Of a type that was taken out between the search for its bean and the read. */
const nothing = { enqueued: 0, sent: 0, dropped: 0, errored: 0, queueSize: 0, maxQueueSize: 0 }

const figureAttributes = (figures: () => RealtimeFigures): Readonly<Record<string, Attribute>> => ({
  EnqueuedEvents: attribute('long', 'Events handed over for the broker.', () => figures().enqueued),
  DroppedEvents: attribute('long', 'Events not forwarded because the queue was full.', () => figures().dropped),
  SentEvents: attribute('long', 'Events that the broker has.', () => figures().sent),
  ErroredEvents: attribute(
    'long',
    'Events that the broker refused, or that were given up because their type is no longer forwarded.',
    () => figures().errored,
  ),
})

const switched = (view: RealtimeView, enable: boolean): Readonly<Record<string, unknown>> => {
  const was = view.isEnabled()
  view[enable ? 'enable' : 'disable']()
  const enabled = view.isEnabled()
  return { enabled, changed: was !== enabled, lasts: false }
}

const typeOperation = (
  description: string,
  change: (type: string) => boolean,
  names: () => readonly string[],
): BeanOperation => ({
  arguments: [{ name: 'type', type: 'string' }],
  returns: 'map',
  description,
  invoke: type => ({ changed: change(String(type)), types: names(), lasts: false }),
})
