import { toAmqpAddress } from '../../src/realtime/brokers/topic.ts'
import { describeBroker, subscribeAmqp } from '../suites/brokers.ts'
import { describeRealtime } from '../suites/realtime.ts'

/** Topics of ActiveMQ hold nothing for those who come later; its queues do. */
const template = { live: '{eventName}', stored: 'queue://{eventName}' }

await describeBroker('amqp', 'realtime to ActiveMQ', broker =>
  describeRealtime({
    broker,
    subscribe: (url, eventName, mode) => subscribeAmqp(url, toAmqpAddress(template[mode], eventName)),
    stored: [`realtime.topic=${template.stored}`, 'realtime.persistent=true'],
  }),
)
