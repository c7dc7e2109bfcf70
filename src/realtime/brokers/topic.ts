/**
 * Topic names. An event name is any text up to 255 bytes; brokers take less:
 *
 * - ActiveMQ gives `*`, `>`, `,`, `?` and `:` in a name a meaning of their own. `A-Za-z0-9._-` stay, so that usual
 *   names are topics as they are; every other byte is `%XX`. Names that begin with `ActiveMQ.` are the broker's own
 *   (advisories, statistics, its scheduler): their first byte is `%41`.
 * - Kafka takes 1 to 249 of `A-Za-z0-9._-`, but not `.` and `..`. Every other byte is `_xXX`, and so is a `_` that
 *   would look like one. Names that begin with `__` are the cluster's own (`__consumer_offsets`, `__transaction_state`
 *   and others): their first byte is `_x5F`. A name that is too long ends in a digest.
 *
 * Both are one to one: two event names never share a topic, unless the template drops the name.
 */
import { createHash } from 'node:crypto'

const plain = /^[A-Za-z0-9._-]+$/

/** Puts an event name into a template such as `{eventName}`, or `events.{eventName}`. */
const fill = (template: string, name: string): string => template.replaceAll('{eventName}', () => name)

/**
 * The address of a topic for AMQP 1.0. A template that is an address already (`queue://x`, `/exchanges/x`) stays as it
 * is; any other is a topic in ActiveMQ's words, `topic://…`.
 */
export const toAmqpAddress = (template: string, eventName: string): string => {
  const isAddress = template.startsWith('/') || template.includes('://')
  const address = fill(isAddress ? template : `topic://${template}`, encodePercent(eventName))
  return address.replace(ownOfActiveMq, '$1%41')
}

const ownOfActiveMq = /^([a-z-]+:\/\/)A(?=ctiveMQ\.)/

/** Longest topic name of Kafka. */
export const maxKafkaTopicLength = 249

/** The topic for Kafka. @param escaped characters that are escaped although Kafka takes them */
export const toKafkaTopic = (template: string, eventName: string, escaped = ''): string => {
  const filled = fill(template, encodeForKafka(eventName, escaped))
  if (filled === '.' || filled === '..') return filled.replaceAll('.', '_x2E')
  const topic = filled.startsWith('__') ? filled.replace('_', '_x5F') : filled
  if (topic.length <= maxKafkaTopicLength) return topic
  const digest = createHash('sha256').update(topic).digest('hex').slice(0, 32)
  return `${topic.slice(0, maxKafkaTopicLength - digest.length - 2)}_x${digest}`
}

/**
 * The topic for Kafka beside others: Kafka refuses one that differs from another only by `.` in place of `_`, since its
 * metrics could not distinguish them. Then one of the two characters is escaped.
 */
export const toKafkaTopicBeside = (template: string, eventName: string, others: readonly string[]): string => {
  const isRefused = (topic: string): boolean =>
    others.some(other => other !== topic && toMetricName(other) === toMetricName(topic))
  const topics = ['', '.', '_'].map(escaped => toKafkaTopic(template, eventName, escaped))
  return topics.find(topic => !isRefused(topic)) ?? (topics[0] as string)
}

const toMetricName = (topic: string): string => topic.replaceAll('.', '_')

/**
 * Refuses a template that cannot become a topic of Kafka.
 * @throws RangeError
 */
export const checkKafkaTemplate = (template: string): void => {
  if (template.startsWith('__')) {
    throw new RangeError(`realtime.topic "${template}" begins with "__", as topics of Kafka's own do: use another name`)
  }
  if (plain.test(fill(template, 'x'))) return
  throw new RangeError(`realtime.topic "${template}" cannot be a Kafka topic: expected A-Z, a-z, 0-9, ".", "_" and "-"`)
}

const encodePercent = (name: string): string => {
  if (plain.test(name)) return name
  return mapBytes(name, (char, hex) => (plain.test(char) ? char : `%${hex}`))
}

const encodeForKafka = (name: string, escaped: string): string => {
  const isPlain = (text: string): boolean => plain.test(text) && (escaped === '' || !text.includes(escaped))
  if (isPlain(name) && !name.includes('_x')) return name
  // "_x" always begins an escape: where a name has it, its "_" becomes one.
  return mapBytes(name.replaceAll('_x', '\0x'), (char, hex) => {
    if (char === '\0') return '_x5F'
    return isPlain(char) ? char : `_x${hex}`
  })
}

const mapBytes = (text: string, toText: (char: string, hex: string) => string): string => {
  let mapped = ''
  for (const byte of new TextEncoder().encode(text)) {
    mapped += toText(String.fromCharCode(byte), byte.toString(16).toUpperCase().padStart(2, '0'))
  }
  return mapped
}
