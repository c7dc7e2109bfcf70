import type { Message } from '../message.ts'
import type { Fate } from './broker.ts'

/** A message as the client library takes it. */
export type KafkaRecord = {
  readonly topic: string
  readonly key?: string
  /** By the key; taken modulo the partitions of the topic. */
  readonly partition?: number
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends messages of one topic; see `BrokerConnection.send`. */
export type KafkaSend = (topic: string, messages: readonly Message[]) => Promise<readonly Fate[]>

/**
 * Kafka answers for a whole request. One message that it does not want (too large, for example) must not cost the
 * others: a refused request is sent again in halves, until the bad message is alone.
 */
export const createKafkaSend = (
  produce: (records: readonly KafkaRecord[]) => Promise<unknown>,
  toPartition: (key: string) => number,
): KafkaSend => {
  const send: KafkaSend = async (topic, messages) => {
    try {
      await produce(messages.map(message => toRecord(topic, message, toPartition)))
      return messages.map(() => 'sent')
    } catch (error) {
      const refused = toRefusal(error)
      if (refused === undefined) return messages.map(() => 'again')
      if (messages.length <= 1) return messages.map(() => ({ refused }))
    }
    const middle = messages.length >> 1
    const first = await send(topic, messages.slice(0, middle))
    const rest = messages.slice(middle)
    // After a loss the younger ones wait for the older ones.
    return [...first, ...(first.includes('again') ? rest.map((): Fate => 'again') : await send(topic, rest))]
  }
  return send
}

const toRecord = (topic: string, message: Message, toPartition: (key: string) => number): KafkaRecord => ({
  topic,
  ...(message.key === undefined ? {} : { key: message.key, partition: toPartition(message.key) }),
  value: message.text,
  headers: {
    eventName: message.eventName,
    eventDate: `${message.date}`,
    eventGranularity: message.granularity,
    ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
  },
})

/** Nested deeper than this an error says nothing that matters here. */
const maxErrorDepth = 8

/** What the broker says when another try would end the same way; undefined when one might succeed. */
const toRefusal = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== 'object' || error === null || depth > maxErrorDepth) return undefined
  const { code, canRetry, errors, cause, apiId, message } = error as Readonly<Record<string, unknown>>
  const isRefusal = (code === 'PLT_KFK_PROTOCOL' && canRetry === false) || code === 'PLT_KFK_USER'
  if (isRefusal) return [apiId, message].filter(text => typeof text === 'string').join(': ')
  const inner = Array.isArray(errors) ? errors : [cause]
  return inner.map(one => toRefusal(one, depth + 1)).find(found => found !== undefined)
}
