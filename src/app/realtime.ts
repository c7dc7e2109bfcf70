import type { Settings } from '../config/table.ts'
import type { Logger } from '../log/log.ts'
import type { Broker } from '../realtime/broker.ts'
import type { FieldNames } from '../realtime/message.ts'
import { createRealtime, type Realtime } from '../realtime/realtime.ts'
import type { Registrar } from '../rows/registrar.ts'

/**
 * The realtime subsystem, where a broker is configured. The clients of the brokers are loaded only then, and only the
 * one that is needed.
 * @throws RangeError for an address or a topic that the broker cannot have; SluiceError for a bad event type
 */
export const createRealtimePart = async (
  settings: Settings,
  logger: Logger,
  registrar: Registrar,
): Promise<Realtime | undefined> => {
  const url = settings['realtime.broker']
  if (url === undefined) return undefined
  const broker = await createBroker(new URL(url), settings)
  return createRealtime({
    broker,
    types: settings['realtime.events'],
    maxQueueSize: settings['realtime.queue-size'],
    keyField: settings['realtime.key'],
    fieldNames: toFieldNames(registrar),
    log: logger,
  })
}

const createBroker = async (url: URL, settings: Settings): Promise<Broker> => {
  const options = {
    url,
    topic: settings['realtime.topic'],
    ttlMs: settings['realtime.ttl-ms'],
    persistent: settings['realtime.persistent'],
  }
  if (url.protocol !== 'kafka:') return (await import('../realtime/amqp.ts')).createAmqpBroker(options)
  return (await import('../realtime/kafka.ts')).createKafkaBroker(options)
}

/** The registrar's list of a type stays the same until the registry answers anew. */
export const toFieldNames = (registrar: Registrar): FieldNames => {
  const known = new WeakMap<object, ReadonlyMap<number, string>>()
  return eventName => {
    const fields = registrar.fields(eventName)
    if (!fields) return undefined
    const names = known.get(fields) ?? new Map(fields.map(({ id, name }) => [id, name]))
    known.set(fields, names)
    return names
  }
}
