import { Expected, flag, integer, live, type RawValue, type Setting, text } from './setting.ts'

/** A shorter one can be found by trying: whoever sends an event of their own, and reads the table, has its id and its hash. */
const leastKeyBytes = 16

/** A number of YAML is no secret: its digits may be rounded. */
const parseKey = (raw: RawValue): string => {
  const found = typeof raw === 'string' ? raw.trim() : ''
  if (new TextEncoder().encode(found).length >= leastKeyBytes) return found
  throw new Expected(`a secret text of at least ${leastKeyBytes} bytes, such as \`openssl rand -base64 32\` prints`)
}

const eventIdKey: Setting<string | undefined> = {
  ...text(undefined, {
    sentence:
      'Secret for the hashes of event ids (HMAC-SHA256), at least 16 bytes; without it, readers of tables and of refused events can confirm ids that they guess. The same for all collectors that write the same tables. Repeats across a change of it count as new events.',
    secret: true,
  }),
  parse: parseKey,
}

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
  'collector.event-ids.key': live(eventIdKey),
  'collector.event-ids.column': live(
    flag(false, {
      sentence:
        'Whether the tables of types whose events have ids get a column `_eventId`, by which compaction drops rows that repeat an event. Needs `collector.output.table: iceberg`.',
    }),
  ),
} as const
