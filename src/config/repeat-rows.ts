import { integer } from './setting.ts'

/** How much is remembered of what may be sent again. */
export const repeatRows = {
  'collector.idempotency.max-keys': integer(2_000_000, {
    sentence: 'The latest `Idempotency-Key`s that are remembered; about 55 bytes of memory each, once they are used.',
    min: 1_000,
    max: 100_000_000,
  }),
  'collector.event-ids.max': integer(2_000_000, {
    sentence:
      'The latest ids of events that are remembered, of senders that give each event one (CloudEvents, Segment, Snowplow, PostHog, Firehose); about 50 bytes of memory each, once they come.',
    min: 1_000,
    max: 100_000_000,
  }),
} as const
