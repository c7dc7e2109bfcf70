import { createThreadClient, type ThreadClientOptions } from '../thread/thread-client.ts'
import { type Broker, toShownUrl } from './broker.ts'
import { checkKafkaTemplate, toAmqpAddress, toKafkaTopicBeside } from './topic.ts'

/**
 * The broker at an address; its client starts with the first connection.
 * @throws RangeError for a topic that this kind of broker cannot have
 */
export const createBroker = (options: ThreadClientOptions): Broker => {
  const isKafka = options.url.protocol === 'kafka:'
  if (isKafka) checkKafkaTemplate(options.topic)
  const toTopic = isKafka ? toKafkaTopicBeside : toAmqpAddress
  return {
    ...createThreadClient(options),
    url: toShownUrl(options.url),
    toTopic: (eventName, others = []) => toTopic(options.topic, eventName, others),
  }
}
