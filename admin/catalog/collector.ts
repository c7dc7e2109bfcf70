import { type Bean, defineBean } from '../../src/beans/bean.ts'
import { type Meter, meterAttributes, objectNameOperation } from '../../src/beans/meter.ts'
import { createObjectName } from '../../src/beans/object-name.ts'
import { type Durations, timerAttributes } from '../../src/beans/timer.ts'

/** What one API counts, as far as its beans look at it. */
export type ApiFigures = {
  readonly requests: number
  readonly received: number
  readonly malformed: number
  readonly unread: number
  readonly latency: { summary(): Durations; values(): readonly number[] }
}

/**
 * The seven ways in: `type` of each timer's name, and the letters of its deserializer's meters (the collector's
 * specification, §4.5); Scribe has none.
 */
const apiTable = [
  { api: 'GET_API', type: 'CollectorResource', deserializer: 'DECIMAL_QUERY' },
  { api: 'GET_Base64_API', type: 'Base64CollectorResource', deserializer: 'BASE_64_QUERY' },
  { api: 'POST_Json_API', type: 'BodyResource', deserializer: 'JSON' },
  { api: 'POST_Smile_API', type: 'BodyResource', deserializer: 'SMILE' },
  { api: 'POST_ThriftLegacy_API', type: 'BodyResource', deserializer: 'DEFAULT' },
  { api: 'POST_Thrift_API', type: 'BodyResource', deserializer: 'THRIFT' },
  { api: 'SCRIBE_API', type: 'ScribeEventRequestHandler', deserializer: undefined },
] as const

/** What the beans of the intake look at. */
export type CollectorView = {
  readonly vendor: string
  readonly apis: Readonly<Record<(typeof apiTable)[number]['api'], ApiFigures>>
  /** Makes a meter that is ticked with the others. */
  readonly meter: (count: () => number, eventType: string) => Meter
}

/** The rate of all events, a timer for each API, and the meters of the deserializers under both spellings. */
export const collectorBeans = ({ vendor, apis, meter }: CollectorView): readonly Bean[] => {
  const domain = `${vendor}.metrics.collector.endpoint.resources`
  const received = meter(() => apiTable.reduce((sum, { api }) => sum + apis[api].received, 0), 'calls')
  const collectEvent = meterBean(
    `${vendor}.metrics.collector.hadoop.processing`,
    { type: 'BufferingEventCollector', name: 'collectEvent' },
    'Events received, over all APIs.',
    received,
  )
  const timers = apiTable.map(({ api, type }) => {
    const name = createObjectName(domain, { type, name: api })
    const { latency } = apis[api]
    const calls = meter(() => apis[api].requests, 'calls')
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
  const meters = apiTable.flatMap(({ api, deserializer }) => {
    if (deserializer === undefined) return []
    const figures = apis[api]
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
