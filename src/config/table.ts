import { ackRows } from './ack-rows.ts'
import { defaultReaders, defaultSealThreads } from './default-threads.ts'
import { doorRows } from './door-rows.ts'
import { collectorFilterRows } from './filter-rows.ts'
import { listenerRows } from './listener-rows.ts'
import { nameNodeRows } from './name-node-rows.ts'
import { outputRows } from './output-rows.ts'
import { quotaRows } from './quota-rows.ts'
import { repeatRows } from './repeat-rows.ts'
import { retiredByKey } from './retired.ts'
import { schemaRows } from './schema-rows.ts'
import {
  choice,
  flag,
  host,
  integer,
  list,
  live,
  oneOf,
  port,
  type Setting,
  size,
  text,
  toAddressBlock,
  toHeaderName,
  toText,
  url,
} from './setting.ts'

const MiB = 2 ** 20

/** Every setting, in the order of the documentation. The table in `docs/reference/settings.md`, `--help` and the types come from here. */
const present = {
  services: list(raw => oneOf(['collector', 'gateway'], raw), ['collector', 'gateway'], {
    sentence: 'Which services run in this process.',
  }),
  'data.dir': text('./data', {
    sentence: 'Home of the embedded file system (`<data.dir>/fs`) and, by default, of the spool.',
  }),
  ...listenerRows,
  'auth.tokens': text(undefined, {
    sentence:
      'File of hashed bearer tokens with roles: `send` (collector), `read`, `write` (gateway), `view`, `operate` (management); and of rules for callers with tickets and of proxies.',
  }),
  'auth.kerberos.keytab': text(undefined, {
    sentence:
      'File with the keys of `HTTP/<host>@REALM`: gateway and management know callers by their Kerberos tickets (`Authorization: Negotiate`), with the roles of the rules in `auth.tokens`. Needs the npm package `kerberos`.',
  }),
  'auth.proxy-header': {
    ...text(undefined, {
      sentence:
        'Header in which a proxy with single sign-on names the caller to gateway and management, such as `X-Forwarded-User`; roles by the rules in `auth.tokens`.',
    }),
    parse: toHeaderName,
  },
  'auth.trusted-proxies': list(toAddressBlock, [], {
    sentence:
      'Addresses or CIDR blocks of the proxies that are believed; from all others the header counts for nothing.',
  }),
  'collector.auth': choice(['open', 'token'], 'open', {
    sentence: 'Whether sending events needs a token with the role `send`.',
  }),
  'gateway.max-reads': live(
    integer(256, {
      sentence:
        'Reads of files and directories at a time, each until its last byte is sent, shared fairly between callers; beyond: 503.',
      min: 1,
      max: 100_000,
    }),
  ),
  'gateway.trash': integer(undefined, {
    sentence:
      'How long what the pages delete stays in `/user/<caller>/.Trash`, as `fs.trash.interval` of Hadoop; 0: they delete for good, as programs always do.',
    defaultText: '1440 (a day) on the embedded file system; 0 where there is a cluster',
    unit: 'minutes',
    max: 5_256_000,
  }),
  'gateway.readers': integer(defaultReaders, {
    sentence:
      'Processes that decode files and walk through directories, started when they are needed; 0 does it in the process that serves.',
    defaultText: '1; 2 from four cores on; 0 where the runtime is not Node',
    max: 64,
  }),
  'gateway.reader-memory-bytes': size(1024 * MiB, {
    sentence: 'Most memory of such a process, at most half of it for values of JavaScript; beyond, it is ended.',
    min: 128 * MiB,
    max: 65_536 * MiB,
  }),
  ...nameNodeRows,
  'gateway.max-window-bytes': size(128 * MiB, {
    sentence:
      'Largest window of a file that `zstd --long` compressed, `2GiB` for `--long=31`; reading the file takes up to as much memory. More than 128 MiB is at most half of `gateway.reader-memory-bytes`.',
    min: 128 * MiB,
    max: 2048 * MiB,
  }),
  'io.row.serializations': list(toText, [], {
    sentence: 'Modules that export row serializers; asked before the built-in ones, in order.',
  }),
  'io.serializations': list(toText, [], {
    sentence: 'Modules that export sequence-file (de)serializations by class name.',
  }),
  ...schemaRows,
  ...outputRows,
  'collector.seal-threads': integer(defaultSealThreads, {
    sentence: 'Threads that make event files of the log, a segment each; they are started when they are needed.',
    defaultText: 'half the cores, at least 1, at most 4',
    min: 1,
    max: 16,
  }),
  'collector.diskspool.path': text('', { sentence: 'Home of the spool.', defaultText: '`<data.dir>/.diskpool`' }),
  'collector.diskspool.flush-interval-seconds': live(
    integer(30, {
      sentence: 'Time between commits to the file system, which are made at its multiples on the clock (UTC).',
      unit: 'seconds',
      min: 1,
    }),
  ),
  'collector.diskspool.max-segment-bytes': live(
    size(128 * MiB, {
      sentence: 'A segment of the log is sealed when it is as large as this, or at the flush interval.',
      min: 65_536,
    }),
  ),
  'collector.diskspool.min-free-bytes': live(
    size(undefined, {
      sentence: 'Free space on the disk below which events are refused with 503.',
      defaultText: '5 % of the disk, at most 5 GB',
      min: 0,
    }),
  ),
  'collector.diskspool.keep-committed-seconds': live(
    integer(900, {
      sentence: 'How long a committed file stays on the local disk.',
      unit: 'seconds',
    }),
  ),
  ...repeatRows,
  ...ackRows,
  'collector.max-event-queue-size': live(
    integer(200_000, {
      sentence: 'Events waiting to be kept, over all requests; beyond: 503.',
      min: 1,
    }),
  ),
  'collector.max-inflight-bytes': live(
    size(256 * MiB, {
      sentence: 'Bytes of all requests in work; beyond: 503.',
      min: 1_024,
    }),
  ),
  'collector.max-body-bytes': live(
    size(64 * MiB, {
      sentence: 'Largest body as sent; beyond: 413.',
      max: 2 ** 30,
    }),
  ),
  'collector.max-decompressed-bytes': live(
    size(128 * MiB, {
      sentence: 'Largest body unpacked; beyond: 413.',
      max: 2 ** 30,
    }),
  ),
  'collector.max-events-per-request': live(
    integer(100_000, {
      sentence: 'Most events in one request; beyond: 413.',
      min: 1,
      max: 10_000_000,
    }),
  ),
  ...quotaRows,
  'collector.scribe.enabled': flag(true, { sentence: 'Whether the Scribe listener runs.' }),
  'collector.scribe.host': host('127.0.0.1', { sentence: 'Its address.' }),
  'collector.scribe.port': port(7911, { sentence: 'Its port.' }),
  ...doorRows,
  ...collectorFilterRows,
  'collector.trusted-proxies': live(
    list(toAddressBlock, ['127.0.0.0/8', '::1'], {
      sentence: 'Addresses or CIDR blocks whose `X-Forwarded-For` counts.',
      defaultText: 'loopback',
    }),
  ),
  'realtime.broker': url(['amqp:', 'amqps:', 'kafka:'], {
    sentence:
      '`amqp://…` (AMQP 1.0, for example ActiveMQ) or `kafka://…`; options `?tls=true`, `sasl`, `bootstrap` for Kafka. A password needs TLS, or `tls=false`.',
    secret: true,
  }),
  'realtime.events': live(list(toText, [], { sentence: 'Event types to forward.' })),
  'realtime.queue-size': integer(10_000, {
    sentence: 'Messages that may wait, per event type.',
    min: 1,
    max: 10_000_000,
  }),
  'realtime.max-request-bytes': size(1_000_000, {
    sentence:
      'Most bytes that are sent to the broker in one request; a larger message goes alone. At most what the broker takes: `message.max.bytes` of Kafka is 1048588.',
    min: 1_000,
    max: 64 * MiB,
  }),
  'realtime.ttl-ms': integer(300_000, { sentence: 'Time to live of a message, AMQP only.', unit: 'ms' }),
  'realtime.persistent': flag(false, {
    sentence:
      'Whether the broker stores a message: AMQP makes it durable, Kafka waits for all replicas instead of the leader.',
  }),
  'realtime.topic': text('{eventName}', { sentence: 'Topic or address; `{eventName}` is replaced by the type.' }),
  'realtime.key': text(undefined, { sentence: "Payload field whose value becomes the message's key." }),
  'log.level': live(choice(['debug', 'info', 'warn', 'error'], 'info', { sentence: 'Lowest level that is logged.' })),
  'log.format': choice(['auto', 'json', 'text'], 'auto', {
    sentence: '`auto` is text in a terminal and JSON lines elsewhere.',
  }),
  'log.access': choice(['off', 'combined', 'json'], 'off', {
    sentence: 'A line for each HTTP request of all listeners: in the combined format of Apache and nginx, or as JSON.',
  }),
  'log.access-file': text(undefined, {
    sentence: 'The file for these lines; SIGHUP reopens it (log rotation).',
    defaultText: 'standard output',
  }),
} as const

const settingsByKey = { ...present, ...retiredByKey }

/** The name of a setting, of those that are retired too. */
export type SettingKey = keyof typeof settingsByKey

/** All effective settings: `settings['collector.max-body-bytes']` is a number. */
export type Settings = {
  readonly [K in SettingKey]: (typeof settingsByKey)[K] extends Setting<infer T> ? T : never
}

/** Keys of settings that can become others while the server runs. */
export type LiveKey = {
  [K in SettingKey]: (typeof settingsByKey)[K] extends { readonly live: true } ? K : never
}[SettingKey]

/** What a start decides. What can change meanwhile is reached through {@link Settings} of the moment, never kept. */
export type FixedSettings = Omit<Settings, LiveKey>

const keysOf = (table: object): readonly SettingKey[] => Object.keys(table).filter(isSettingKey)

/** The row of one key. */
export const settingOf = (key: SettingKey): Setting<unknown> => settingsByKey[key]

/** Whether text names a setting. */
export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingsByKey, key)

/** Every key in use, in the order of the table. */
export const settingKeys = keysOf(present)

/** Keys that are known for one more version. */
export const retiredKeys = keysOf(retiredByKey)

/** All of them: everything that can be given, and can change. */
export const knownKeys: readonly SettingKey[] = [...settingKeys, ...retiredKeys]
