import { toKafkaTopic } from '../../src/realtime/topic.ts'
import { describeBroker, subscribeKafka } from '../suites/brokers.ts'
import { describeRealtime } from '../suites/realtime.ts'

await describeBroker('kafka', 'realtime to Kafka', broker =>
  describeRealtime({
    broker,
    subscribe: (url, eventName) => subscribeKafka(url, toKafkaTopic('{eventName}', eventName)),
    stored: ['realtime.persistent=true'],
  }),
)
