import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { bombs, letters, longEvent, repeat } from './bytes.ts'
import type { RequestBomb } from './request-bombs.ts'

const event = 'POST /rest/1.0/event'
const json = { 'content-type': 'application/json' }
const smile = { 'content-type': 'application/json+smile' }
const thrift = { 'content-type': 'application/thrift' }

/** For the intake: codings, JSON, Smile, Thrift, the query. */
export const collectorBombs: readonly RequestBomb[] = [
  {
    name: 'gzip of 256 MB',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => bombs.gzip(256),
    want: 413,
    says: /inflates to more/,
  },
  {
    name: 'deflate of 256 MB',
    to: event,
    headers: { ...json, 'content-encoding': 'deflate' },
    body: () => bombs.deflate(256),
    want: 413,
    says: /inflates to more/,
  },
  {
    name: 'zstd of 256 MB',
    to: event,
    headers: { ...json, 'content-encoding': 'zstd' },
    body: () => bombs.zstd(256),
    want: 413,
    says: /inflates to more/,
  },
  {
    name: 'an event in gzip',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => gzipSync(longEvent(64)),
    want: 413,
    says: /inflates to more/,
  },
  {
    name: 'gzip in gzip',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip, gzip' },
    body: () => gzipSync(bombs.gzip(256)),
    want: 413,
    says: /inflates to more/,
  },
  {
    name: 'gzip in zstd',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip, zstd' },
    body: () => zstdCompressSync(bombs.gzip(256)),
    want: 413,
    says: /inflates to more/,
  },
  {
    name: 'three codings',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip, deflate, zstd' },
    body: () => letters(1),
    want: 415,
    says: /more than 2/,
  },
  {
    name: 'a coding a hundred times',
    to: event,
    headers: { ...json, 'content-encoding': Array(100).fill('gzip').join() },
    body: () => letters(1),
    want: 400,
    says: /bad-parameter/,
  },
  {
    name: 'zstd with a window of 2 GB',
    to: event,
    headers: { ...json, 'content-encoding': 'zstd' },
    body: () => Buffer.from('28b52ffd04a80300010041', 'hex'),
    want: 400,
    says: /window of a frame is 2048 MiB, and at most 128 MiB/,
  },
  {
    name: 'zlib cut short',
    to: event,
    headers: { ...json, 'content-encoding': 'deflate' },
    body: () => deflateSync(letters(1)).subarray(0, 100),
    want: 400,
    says: /not a complete deflate/,
  },
  {
    name: 'JSON of 100 000 levels',
    to: event,
    headers: json,
    body: () => repeat('[', 100_000),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a payload of 100 000 levels',
    to: event,
    headers: json,
    body: () =>
      Buffer.concat([
        Buffer.from('{"eventName":"a","payload":'),
        repeat('{"a":', 100_000),
        Buffer.from('1'),
        repeat('}', 100_001),
      ]),
    want: 202,
    says: /"accepted":0,"rejected":1/,
  },
  { name: 'a string of 8 MB', to: event, headers: json, body: () => longEvent(8), want: 413, says: /4194304/ },
  {
    name: 'a string that never ends',
    to: event,
    headers: json,
    body: () => longEvent(3).subarray(0, -3),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a million braces',
    to: event,
    headers: json,
    body: () => repeat('{', 1_000_000),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a million quotes',
    to: event,
    headers: json,
    body: () => repeat('{"', 1_000_000),
    want: 400,
    says: /bad-event/,
  },
  {
    name: '100 000 events',
    to: event,
    headers: json,
    body: () => repeat('{"eventName":"a","payload":{}}', 100_000),
    want: 413,
    says: /more than 10000 events/,
  },
  {
    name: 'an event of five million empty objects in gzip',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => gzipSync(valuesEvent(5_000_000)),
    want: 202,
    says: /"accepted":0,"rejected":1.*more than 100000 values/,
  },
  {
    name: 'the same between two that are good',
    to: event,
    headers: { ...json, 'content-encoding': 'zstd' },
    body: () => zstdCompressSync(Buffer.concat([good, Buffer.from('\n'), valuesEvent(5_000_000), good])),
    want: 202,
    says: /"accepted":2,"rejected":1.*"index":1/,
  },
  {
    name: 'five million open objects in gzip',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => gzipSync(repeat('{"', 5_000_000)),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'fifteen million levels in gzip',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => gzipSync(repeat('[', 15_000_000)),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'lone surrogates by the million in gzip',
    to: event,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => gzipSync(Buffer.concat([textStart, repeat('\\ud83d', 2_000_000), textEnd])),
    want: 202,
    says: /"accepted":1/,
  },
  {
    name: 'a number of a million digits',
    to: event,
    headers: json,
    body: () =>
      Buffer.concat([
        Buffer.from('{"eventName":"a","payload":{"eventDate":'),
        repeat('1', 1_000_000),
        Buffer.from('}}'),
      ]),
    want: 202,
    says: /"accepted":0,"rejected":1/,
  },
  {
    name: 'an exponent of a billion',
    to: event,
    headers: json,
    body: () => Buffer.from('{"eventName":"a","payload":{"eventDate":1e1000000000}}'),
    want: 202,
    says: /"accepted":0,"rejected":1/,
  },
  {
    name: 'Smile of seven million empty objects in one event, in gzip',
    to: event,
    headers: { ...smile, 'content-encoding': 'gzip' },
    body: () =>
      gzipSync(Buffer.concat([smileStart, repeat(Buffer.of(0xfa, 0xfb), 7_000_000), Buffer.of(0xf9, 0xfb, 0xfb)])),
    want: 202,
    says: /"accepted":0,"rejected":1.*at most 100000 values/,
  },
  {
    name: 'Smile of fourteen million levels in one event, in gzip',
    to: event,
    headers: { ...smile, 'content-encoding': 'gzip' },
    body: () => gzipSync(Buffer.concat([smileStart, repeat(Buffer.of(0xf8), 14_000_000)])),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'Smile of 100 000 levels',
    to: event,
    headers: smile,
    body: () => Buffer.concat([smileHead, repeat(Buffer.of(0xf8), 100_000)]),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'Smile binary of 2 GB',
    to: event,
    headers: smile,
    body: () => Buffer.concat([smileHead, Buffer.from('e80f7f7f7fbf', 'hex')]),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a Smile integer of 2 GB',
    to: event,
    headers: smile,
    body: () => Buffer.concat([smileHead, Buffer.from('260f7f7f7fbf', 'hex')]),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a Smile string without end',
    to: event,
    headers: smile,
    body: () => Buffer.concat([smileHead, Buffer.of(0xe0), letters(3)]),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a Thrift string of 2 GB',
    to: `${event}?name=a`,
    headers: thrift,
    body: () => Buffer.from('0b00017fffffff61', 'hex'),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a Thrift list of 2 billion',
    to: `${event}?name=a`,
    headers: thrift,
    body: () => Buffer.from('0f0001027fffffff00', 'hex'),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a Thrift map of 2 billion',
    to: `${event}?name=a`,
    headers: thrift,
    body: () => Buffer.from('0d000102027fffffff00', 'hex'),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'Thrift of 100 000 levels',
    to: `${event}?name=a`,
    headers: thrift,
    body: () => repeat(Buffer.from('0c0001', 'hex'), 100_000),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'an envelope of 2 GB',
    to: event,
    headers: thrift,
    body: () => Buffer.from('0a00000120000000000000000648' + '4f55524c59' + '0b00017fffffff', 'hex'),
    want: 400,
    says: /bad-event/,
  },
  {
    name: 'a base64 number of 8 000 digits',
    to: `GET /2?v=a,8${'B'.repeat(7_900)}`,
    want: 400,
    says: /bad-event|bad-parameter/,
  },
  {
    name: 'a decimal number of 8 000 digits',
    to: `GET /1?v=a,8${'1'.repeat(7_900)}`,
    want: 400,
    says: /bad-event|bad-parameter/,
  },
  { name: 'a date of 4 000 digits', to: `GET /1?v=a&date=${'9'.repeat(4_000)}`, want: 400, says: /bad-parameter/ },
  { name: 'a v of 8 001 characters', to: `GET /1?v=${'a'.repeat(8_001)}`, want: 400, says: /bad-parameter/ },
]

const textStart = Buffer.from('{"eventName":"a","payload":{"x":"')
const textEnd = Buffer.from('"}}')
const good = Buffer.from('{"eventName":"a","payload":{}}')

/** JSON of one event with so many empty objects: three bytes each, of which nearly nothing is left when packed. */
const valuesEvent = (values: number): Buffer =>
  Buffer.concat([Buffer.from('{"eventName":"a","payload":{"a":['), repeat('{},', values - 1), Buffer.from('{}]}}')])

/** `{"eventName":"a","payload":{"a":[` */
const smileStart = Buffer.from('3a290a00fa886576656e744e616d654061867061796c6f6164fa8061f8', 'hex')

const smileHead = Buffer.from(':)\n\x00', 'latin1')
