import { type Bean, defineBean } from '../../src/beans/bean.ts'
import { meterAttributes, objectNameOperation } from '../../src/beans/meter-attributes.ts'
import { createObjectName } from '../../src/beans/object-name.ts'
import { timerAttributes } from '../../src/beans/timer-attributes.ts'
import type { Durations } from '../../src/figures/durations.ts'
import type { Meter } from '../../src/figures/meter.ts'

/** The counts of one API, as far as its beans look at it. */
export type EndpointFigures = {
  readonly requests: number
  readonly received: number
  readonly malformed: number
  readonly unread: number
  readonly latency: { summary(): Durations; values(): readonly number[] }
}

/** A way in: its name, `type` of its timer's name, and the letters of its deserializer's meters where it has one. */
export type ApiView = {
  readonly api: string
  readonly bean: string
  readonly deserializer: string | undefined
  readonly figures: EndpointFigures
}

/** What the beans of the intake look at. */
export type CollectorView = {
  readonly vendor: string
  readonly apis: readonly ApiView[]
  /** Makes a meter that is ticked with the others. */
  readonly meter: (count: () => number, eventType: string) => Meter
}

/** The rate of all events, a timer for each API, and the meters of the deserializers under both spellings. */
export const collectorBeans = ({ vendor, apis, meter }: CollectorView): readonly Bean[] => {
  const domain = `${vendor}.metrics.collector.endpoint.resources`
  const received = meter(() => apis.reduce((sum, { figures }) => sum + figures.received, 0), 'calls')
  const collectEvent = meterBean(
    `${vendor}.metrics.collector.hadoop.processing`,
    { type: 'BufferingEventCollector', name: 'collectEvent' },
    'Events received, over all APIs.',
    received,
  )
  const timers = apis.map(({ api, bean, figures }) => {
    const name = createObjectName(domain, { type: bean, name: api })
    const { latency } = figures
    const calls = meter(() => figures.requests, 'calls')
    return defineBean({
      name,
      description: `Requests of ${api}: how many, and how long until their answer.`,
      attributes: timerAttributes(calls, () => latency.summary()),
      operations: {
        values: {
          arguments: [],
          returns: 'list',
          description: 'The newest durations in ms, at most 1024, in no order.',
          invoke: () => latency.values(),
        },
        objectName: objectNameOperation(name.canonical),
      },
    })
  })
  const meters = apis.flatMap(({ api, deserializer, figures }) => {
    if (deserializer === undefined) return []
    const read = meter(() => figures.received - figures.malformed - figures.unread, 'events')
    const failed = meter(() => figures.malformed, 'events')
    const bean = (name: string, description: string, of: Meter): Bean =>
      meterBean(domain, { type: 'EventRequestHandler', name: `${deserializer}_${name}` }, description, of)
    const succeeded = `Events that the deserializer of ${api} could read.`
    return [
      bean('SUCCES', succeeded, read),
      bean('SUCCESS', succeeded, read),
      bean('FAILURE', `Events that the deserializer of ${api} could not read.`, failed),
    ]
  })
  return [collectEvent, ...timers, ...meters]
}

const meterBean = (
  domain: string,
  properties: Readonly<Record<string, string>>,
  description: string,
  meter: Meter,
): Bean => {
  const name = createObjectName(domain, properties)
  return defineBean({
    name,
    description,
    attributes: meterAttributes(meter),
    operations: { objectName: objectNameOperation(name.canonical) },
  })
}
