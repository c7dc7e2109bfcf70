import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { encodeMessage, messageType } from '../../src/formats/thrift/message.ts'
import { bombs, letters, longEvent, repeat, toBytes } from './bytes.ts'

/** A request that costs more than it should, if it is let. */
export type RequestBomb = {
  readonly name: string
  /** Method and target, of the management listener when it begins with `admin`. */
  readonly to: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: () => Uint8Array
  /** The answer's status, and something of its body. */
  readonly want: number
  readonly says: RegExp
}

/** Settings under which the bombs are larger than allowed without being large. */
export const smallLimits = [
  'collector.max-body-bytes=4MiB',
  'collector.max-decompressed-bytes=16MiB',
  'collector.max-inflight-bytes=64MiB',
  'collector.max-events-per-request=10000',
  'collector.scribe.max-frame-bytes=4MiB',
] as const

const event = 'POST /rest/1.0/event'
const json = { 'content-type': 'application/json' }
const smile = { 'content-type': 'application/json+smile' }
const thrift = { 'content-type': 'application/thrift' }

const collectorBombs: readonly RequestBomb[] = [
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
    says: /no complete zstd/,
  },
  {
    name: 'zlib cut short',
    to: event,
    headers: { ...json, 'content-encoding': 'deflate' },
    body: () => deflateSync(letters(1)).subarray(0, 100),
    want: 400,
    says: /no complete deflate/,
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
    want: 400,
    says: /bad-event/,
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

const rpc = 'admin POST /rpc'
const jolokia = 'admin POST /jolokia'
const call = '{"jsonrpc":"2.0","id":1,"method":"version"}'
const version = '{"type":"version"}'

const adminBombs: readonly RequestBomb[] = [
  {
    name: 'a batch of more than 1 MB',
    to: rpc,
    headers: json,
    body: () => Buffer.from(`[${Array(40_000).fill(call).join()}]`),
    want: 413,
    says: /too-large/,
  },
  {
    name: 'a batch of 1 000',
    to: rpc,
    headers: json,
    body: () => Buffer.from(`[${Array(1_000).fill(call).join()}]`),
    want: 200,
    says: /"error"/,
  },
  {
    name: 'JSON of 100 000 levels',
    to: rpc,
    headers: json,
    body: () => repeat('[', 100_000),
    want: 200,
    says: /-32700/,
  },
  {
    name: 'parameters of 100 000 levels',
    to: rpc,
    headers: json,
    body: () =>
      Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"list","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    want: 200,
    says: /"error"/,
  },
  {
    name: 'gzip',
    to: rpc,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => bombs.gzip(256),
    want: 415,
    says: /unsupported-media-type/,
  },
  {
    name: 'a bulk of more than 1 MB',
    to: jolokia,
    headers: json,
    body: () => Buffer.from(`[${Array(80_000).fill(version).join()}]`),
    want: 413,
    says: /413/,
  },
  {
    name: 'a bulk of 1 000',
    to: jolokia,
    headers: json,
    body: () => Buffer.from(`[${Array(1_000).fill(version).join()}]`),
    want: 200,
    says: /"status":4/,
  },
  {
    name: 'JSON of 100 000 levels',
    to: jolokia,
    headers: json,
    body: () => repeat('[', 100_000),
    want: 200,
    says: /"status":400/,
  },
]

const upload = (name: string): string => `POST /rest/1.0?path=/abuse/${name}`
const form = { 'content-type': 'multipart/form-data; boundary=x' }
const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'

const gatewayBombs: readonly RequestBomb[] = [
  {
    name: 'endless headers of a part',
    to: upload('a'),
    headers: form,
    body: () => Buffer.concat([Buffer.from('--x\r\n'), repeat('X-A: b\r\n', 100_000)]),
    want: 400,
    says: /headers exceed/,
  },
  {
    name: 'one endless header of a part',
    to: upload('b'),
    headers: form,
    body: () => Buffer.concat([Buffer.from('--x\r\nX-A: '), letters(8)]),
    want: 400,
    says: /headers exceed/,
  },
  {
    name: 'endless parts',
    to: upload('c'),
    headers: form,
    body: () => repeat(part, 100_000),
    want: 400,
    says: /more than 32 fields/,
  },
  {
    name: 'an endless field',
    to: upload('d'),
    headers: form,
    body: () => Buffer.concat([Buffer.from(part.slice(0, -3)), letters(8)]),
    want: 400,
    says: /exceeds 65536/,
  },
  {
    name: 'no boundary in sight',
    to: upload('e'),
    headers: form,
    body: () => letters(8),
    want: 400,
    says: /exceeds 65536/,
  },
  {
    name: 'a coding, which is kept as it is',
    to: upload('f'),
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/octet-stream' },
    body: () => bombs.gzip(256),
    want: 201,
    says: /"size":261632/,
  },
]

/** One row per bomb, by the part that it is for. */
export const requestBombs = { collector: collectorBombs, management: adminBombs, gateway: gatewayBombs } as const

/** A Scribe connection's bytes, after which the server may answer and must end the connection or go on. */
export type ScribeBomb = { readonly name: string; readonly bytes: () => Uint8Array }

export const scribeBombs: readonly ScribeBomb[] = [
  { name: 'a frame of 2 GB', bytes: () => Buffer.concat([toBytes(0x7fffffff), letters(1)]) },
  { name: 'a frame of a negative length', bytes: () => Buffer.concat([toBytes(0xf0000000), letters(1)]) },
  { name: 'a list of 2 billion entries', bytes: () => frame(Buffer.from('0f00010c7fffffff', 'hex')) },
  { name: 'a list of 2 billion without a frame', bytes: () => logCall(Buffer.from('0f00010c7fffffff', 'hex')) },
  { name: 'a string of 2 GB', bytes: () => frame(Buffer.from('0f00010c000000010b00017fffffff', 'hex')) },
  {
    name: 'a method name of 2 GB',
    bytes: () => Buffer.concat([toBytes(100), Buffer.from('800100017fffffff', 'hex'), letters(1)]),
  },
  { name: '100 000 levels', bytes: () => frame(repeat(Buffer.from('0c0005', 'hex'), 100_000)) },
  { name: 'HTTP', bytes: () => Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n') },
]

const smileHead = Buffer.from(':)\n\x00', 'latin1')

/** A call of `Log` with these bytes for its arguments. */
const logCall = (args: Uint8Array): Buffer => {
  const message = encodeMessage({ name: 'Log', type: messageType.call, sequence: 1 }, () => {})
  return Buffer.concat([message.subarray(0, -1), args])
}

const frame = (args: Uint8Array): Buffer => {
  const message = logCall(args)
  return Buffer.concat([toBytes(message.length), message])
}
