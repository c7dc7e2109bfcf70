import { choice, integer, live, size } from './setting.ts'

/** What one sender may send to the collector. */
export const quotaRows = {
  'collector.quota.events-per-second': live(
    integer(undefined, {
      sentence: 'Events that one sender may send in a second; beyond: 429, Scribe: TRY_LATER.',
      defaultText: 'no limit',
      min: 1,
      max: 1_000_000_000,
    }),
  ),
  'collector.quota.bytes-per-second': live(
    size(undefined, {
      sentence: 'Bytes of bodies, decompressed, that one sender may send in a second; beyond: 429, Scribe: TRY_LATER.',
      defaultText: 'no limit',
      max: 1_000_000_000_000,
    }),
  ),
  'collector.quota.burst-seconds': live(
    integer(10, {
      sentence: 'A sender that was silent may send at once what these limits are in so long.',
      unit: 'seconds',
      min: 1,
      max: 3_600,
    }),
  ),
  'collector.quota.by': live(
    choice(['token', 'address'], 'token', {
      sentence:
        'The unit of a sender: all requests with the same token (or write key, with `collector.auth: token`), and without one those of an address; or always those of an address.',
    }),
  ),
  'collector.quota.ipv4-prefix': live(
    integer(32, { sentence: 'Bits of an IPv4 address that senders share a quota by.', unit: 'bits', min: 8, max: 32 }),
  ),
  'collector.quota.ipv6-prefix': live(
    integer(64, { sentence: 'The same of an IPv6 address.', unit: 'bits', min: 16, max: 128 }),
  ),
} as const
