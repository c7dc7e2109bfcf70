import type { Settings } from '../config/table.ts'
import type { Logger } from '../log/log.ts'
import { createBroker } from '../realtime/brokers/create-broker.ts'
import type { FieldNames } from '../realtime/message.ts'
import { createRealtime, type Realtime } from '../realtime/realtime.ts'
import type { Registrar } from '../rows/registrar/registrar.ts'

/**
 * The realtime subsystem, where a broker is configured.
 * @throws RangeError for an address or a topic that the broker cannot have; SluiceError for a bad event type
 */
export const createRealtimeService = (
  settings: Settings,
  logger: Logger,
  registrar: Registrar,
): Realtime | undefined => {
  const url = settings['realtime.broker']
  if (url === undefined) return undefined
  const broker = createBroker({
    url: new URL(url),
    topic: settings['realtime.topic'],
    ttlMs: settings['realtime.ttl-ms'],
    persistent: settings['realtime.persistent'],
    onFailure: error => logger.error({ err: error }, 'the client of the broker failed and is restarted'),
  })
  return createRealtime({
    broker,
    types: settings['realtime.events'],
    maxQueueSize: settings['realtime.queue-size'],
    maxRequestBytes: settings['realtime.max-request-bytes'],
    keyField: settings['realtime.key'],
    fieldNames: toFieldNames(registrar),
    log: logger,
  })
}

/** The registrar's list of a type stays the same until the registry answers again. */
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
