import { flag, integer, live, text } from './setting.ts'

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
  'collector.event-ids.path': live(
    text(undefined, {
      sentence:
        'Where the payload of an event has its id, where its sender gives none otherwise: a member, or one within a member, such as `order.id`, of JSON or Smile. Texts of up to 512 characters and whole numbers are ids. Costs reading each such body once more.',
    }),
  ),
  'collector.event-ids.column': live(
    flag(false, {
      sentence:
        'Whether the tables of types whose events have ids get a column `_eventId`, by which compaction drops rows that repeat an event. Needs `collector.output.table: iceberg`.',
    }),
  ),
} as const
