import { deflateSync, gzipSync } from 'node:zlib'

/** What is sent on one connection (latin1), and the answers. */
export type Row = {
  readonly name: string
  readonly sent: readonly string[]
  readonly statuses: readonly number[]
  /** What `node:http` alone answers where it puts it in other words; then only what is counted and kept is the same. */
  readonly plain?: readonly number[]
  /** Whether it is about the wire: without a socket there is no such thing. @default false */
  readonly isWire?: boolean
  /** What the collector can do. @default all */
  readonly world?: World
  /** Whether the client says at last that it will send no more. @default false */
  readonly ends?: boolean
}

/** Whether a spool keeps, refuses or fails, callers are let in, and there is time. */
export type World = 'usual' | 'full' | 'failing' | 'unknown' | 'denied' | 'shedding'

/** Of a body as sent. */
export const maxBody = 4_096

const host = 'Host: localhost\r\n'
const json = 'Content-Type: application/json\r\n'
const one = '{"eventName":"Order","payload":{"id":1}}'
/** An event that holds what a handler reads of the head. */
const annotated = 'Page,sx,xua,xhost,xpath,xip,xdate'
const smile = Buffer.from('3a290a00fa886576656e744e616d654041867061796c6f6164fafbfb', 'hex').toString('latin1')
/** One string field with the text `World`. */
const thrift = Buffer.from('0b000100000005576f726c6400', 'hex').toString('latin1')

const get = (target: string, headers = '', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\n${host}${headers}\r\n`
const post = (body: string, headers = json, query = ''): string =>
  `POST /rest/1.0/event${query} HTTP/1.1\r\n${host}${headers}Content-Length: ${body.length}\r\n\r\n${body}`
const chunked = (body: string, headers = json): string =>
  `POST /rest/1.0/event HTTP/1.1\r\n${host}${headers}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const event = get(`/1?v=${annotated}`)
const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

const row = (
  name: string,
  sent: string | readonly string[],
  statuses: number | readonly number[],
  more: Partial<Row> = {},
): Row => ({
  name,
  sent: typeof sent === 'string' ? [sent] : sent,
  statuses: typeof statuses === 'number' ? [statuses] : statuses,
  ...more,
})

const taken: readonly Row[] = [
  row('GET /1', event, 202),
  row('GET /2', get('/2?v=Page,sx'), 202),
  row('HEAD /1', get('/1?v=Page', '', 'HEAD'), 202),
  row('HEAD of what cannot be read', get('/1?v=Page,q', '', 'HEAD'), 400),
  row('a date and a granularity', get('/1?v=Page&date=2009-01-02T03:04:05Z&gr=DAILY'), 202),
  row('one event', post(one), 202),
  row('a batch', post(`[${one},${one}]`), 202),
  row('a batch with a bad event', post(`[${one},{"eventName":7},${one}]`), 202),
  row('Smile', post(smile, 'Content-Type: application/json+smile\r\n'), 202),
  row('Thrift', post(thrift, 'Content-Type: application/thrift\r\n', '?name=Hello'), 202),
  row('Thrift of old', post(thrift, 'Content-Type: ning/thrift\r\n', '?name=Hello'), 202),
  row('bytes without a type', post(thrift, '', '?name=Hello'), 202),
  row('text of a beacon', post(one, 'Content-Type: text/plain;charset=UTF-8\r\n'), 202),
  row('gzip', post(toText(gzipSync(one)), `${json}Content-Encoding: gzip\r\n`), 202),
  row('deflate and gzip', post(toText(gzipSync(deflateSync(one))), `${json}Content-Encoding: deflate, gzip\r\n`), 202),
  row('gzip that is none', post(one, `${json}Content-Encoding: gzip\r\n`), 400),
  row('an encoding that is not known', post(one, `${json}Content-Encoding: br2\r\n`), 415),
  row('a parameter that is not known', get('/1?v=Page&x=1'), 202),
  row('a longest body', post(one.padEnd(maxBody)), 202),
]

const refused: readonly Row[] = [
  row('no event', get('/1'), 400),
  row('an empty query', get('/1?'), 400),
  row('an empty event', get('/2?v='), 400),
  row('an event twice', get('/1?v=A&v=B'), 202),
  row('an event that cannot be read', get('/1?v=Page,q'), 400),
  row('half an escape', get('/1?v=Page%2'), 202),
  row('a bad name', get('/1?v=..%2F..'), 400),
  row('a bad date', get('/1?v=Page&date=yesterday'), 400),
  row('a bad granularity', get('/1?v=Page&gr=EON'), 400),
  row('a long URL', get(`/1?v=${'a'.repeat(8_192)}`), 414),
  row('bad JSON', post(one.slice(0, -1)), 400),
  row('an empty body', post(''), 400),
  row('a bad name in a body', post('{"eventName":"../x","payload":{}}'), 202),
  row('only bad events', post('[{"eventName":7},{"payload":{}}]'), 202),
  row('only bad events, strictly', post('[{"eventName":7}]', `${json}Prefer: handling=strict\r\n`), 422),
  row('a wrong type', post(one, 'Content-Type: application/xml\r\n'), 415),
  row('Thrift without a name', post(thrift, 'Content-Type: ning/thrift\r\n'), 400),
  row('Thrift cut short', post(thrift.slice(0, 7), 'Content-Type: application/thrift\r\n', '?name=Hello'), 400),
  row('Smile cut short', post(smile.slice(0, 6), 'Content-Type: application/json+smile\r\n'), 400),
  row('an Accept that is for nothing here', get('/1?v=Page', 'Accept: image/png\r\n'), 202),
  row('a body that is too long', post(' '.repeat(maxBody + 1)), 413, { plain: [413] }),
  row(
    'a length that is too long',
    `POST /rest/1.0/event HTTP/1.1\r\n${host}${json}Content-Length: 99999\r\n\r\n`,
    413,
    { isWire: true },
  ),
  row('no body at all', `POST /rest/1.0/event HTTP/1.1\r\n${host}${json}\r\n`, 400),
]

const keys: readonly Row[] = [
  row('a key', post(one, `${json}Idempotency-Key: k\r\n`), 202),
  row(
    'a key again',
    [post(one, `${json}Idempotency-Key: k\r\n`), post(one, `${json}Idempotency-Key: k\r\n`)],
    [202, 202],
  ),
  row(
    'a key with another body',
    [post(one, `${json}Idempotency-Key: k\r\n`), post(`[${one}]`, `${json}Idempotency-Key: k\r\n`)],
    [202, 422],
  ),
  row('two keys', post(one, `${json}Idempotency-Key: k\r\nIdempotency-Key: l\r\n`), 202),
  row('a key that is too long', post(one, `${json}Idempotency-Key: ${'k'.repeat(3_000)}\r\n`), 400),
  row('an empty key', post(one, `${json}Idempotency-Key:\r\n`), 400),
]

const twice = (name: string, first: string, second: string): string => `${name}: ${first}\r\n${name}: ${second}\r\n`

const headers: readonly Row[] = [
  row('a client behind a proxy', get(`/1?v=${annotated}`, 'X-Forwarded-For: 10.1.2.3\r\n'), 202),
  row('clients behind proxies', get(`/1?v=${annotated}`, 'X-Forwarded-For:  , 10.1.2.3 , 10.4.5.6\r\n'), 202),
  row('X-Forwarded-For twice', get(`/1?v=${annotated}`, twice('X-Forwarded-For', '10.1.2.3', '10.4.5.6')), 202),
  row('User-Agent twice', get(`/1?v=${annotated}`, twice('User-Agent', 'first', 'second')), 202),
  row('Referer twice', get(`/1?v=${annotated}`, twice('Referer', 'http://a/b?c', 'http://d/e')), 202),
  row('Content-Type twice', post(one, twice('Content-Type', 'application/json', 'image/png')), 202),
  row(
    'Content-Type twice, the other way round',
    post(one, twice('Content-Type', 'image/png', 'application/json')),
    415,
  ),
  row(
    'Content-Encoding twice',
    post(toText(gzipSync(deflateSync(one))), `${json}${twice('Content-Encoding', 'deflate', 'gzip')}`),
    202,
  ),
  row('Prefer twice', post('[{"eventName":7}]', `${json}${twice('Prefer', 'return=minimal', 'handling=strict')}`), 422),
  row('Accept twice', get('/1?v=Page', twice('Accept', 'image/png', '*/*')), 202),
  row('Authorization twice', get('/1?v=Page', twice('Authorization', 'Bearer a', 'Bearer b')), 202),
  row('Cookie twice', get('/1?v=Page', twice('Cookie', 'a=b', 'c=d')), 202),
  row(
    'names in odd case',
    `GET /1?v=${annotated} HTTP/1.1\r\nhOST: localhost\r\nUSER-AGENT: a\r\nrEFERER: http://b/c\r\n\r\n`,
    202,
  ),
  row(
    'values with spaces and tabs',
    get(`/1?v=${annotated}`, 'User-Agent: \t a \t b \t \r\nReferer:http://b/c\r\n'),
    202,
  ),
  row('values that are empty', get(`/1?v=${annotated}`, 'User-Agent:\r\nReferer: \t\r\nAccept: \r\n'), 202),
  row(
    'values in latin1',
    get(`/1?v=${annotated}`, 'User-Agent: \u00e4\u00ff\u0080\r\nReferer: http://\u00fc/\u00df\r\n'),
    202,
  ),
  row(
    'names like others',
    post(one, 'Content_Type: image/png\r\ncontent-type: application/json\r\nContent_Length: 3\r\n'),
    202,
  ),
  row('a name with a space', get('/1?v=Page', 'X : y\r\n'), 400),
  row('a value with NUL', get('/1?v=Page', 'X: \0\r\n'), 400, { isWire: true }),
  row('a folded value', get('/1?v=Page', 'X: y\r\n z\r\n'), 400, { isWire: true }),
  row('many headers', get(`/1?v=${annotated}`, `${'x: y\r\n'.repeat(300)}User-Agent: last\r\n`), 202),
  row('more headers than Node takes', get(`/1?v=${annotated}`, `${'x:\r\n'.repeat(2_200)}User-Agent: last\r\n`), 431, {
    isWire: true,
  }),
  row('a long head', get('/1?v=Page', `X: ${'x'.repeat(64_000)}\r\n`), 202),
  row('a head that is too long', get('/1?v=Page', `X: ${'x'.repeat(66_000)}\r\n`), 431, { isWire: true }),
]

const targets: readonly Row[] = [
  row('a path parameter', get('/1;a=b?v=Page'), 202),
  row('two slashes', get('//1?v=Page'), 404),
  row('a slash behind', get('/1/?v=Page'), 202),
  row('a dot', get('/./1?v=Page'), 202),
  row('an escape in the path', get('/%31?v=Page'), 202),
  row('an escape in the path of POST', post(one).replace('/rest/', '/r%65st/'), 202),
  row('a fragment', get('/1?v=Page#f'), 202),
  row('the absolute form', get('http://localhost/1?v=Page'), 202),
  row('the absolute form of another host', get('http://evil.example/1?v=Page'), 202),
  row('an asterisk', get('*', '', 'OPTIONS'), 204),
  row('an asterisk that is no question', get('*'), 400),
  row('another path', get('/nothing'), 404),
  row('a target in UTF-8', get('/1?v=P\u00c3\u00a4ge'), 202),
  row('a target in latin1', get('/1?v=P\u00e4ge'), 202),
  row('no target', `GET HTTP/1.1\r\n${host}\r\n`, 400),
]

const withHost = (value: string): string => `GET /1?v=Page HTTP/1.1\r\n${value}\r\n`

const hosts: readonly Row[] = [
  row('a port', withHost('Host: localhost:8080\r\n'), 202),
  row('an IPv6 address', withHost('Host: [::1]:8080\r\n'), 202),
  row('a name with capitals', withHost('Host: LocalHost\r\n'), 202),
  row('an underscore', withHost('Host: my_host\r\n'), 202),
  row('a port that is none', withHost('Host: localhost:http\r\n'), 400),
  row('half an address', withHost('Host: [::1\r\n'), 400),
  row('an empty Host', withHost('Host:\r\n'), 202),
  row('user information', withHost('Host: user@localhost\r\n'), 400),
  row('a path', withHost('Host: localhost/1\r\n'), 400),
  row('two hosts', withHost('Host: localhost\r\nHost: evil\r\n'), 400),
  row('two hosts in one', withHost('Host: localhost, evil\r\n'), 400),
  row('the same host twice', withHost('Host: localhost\r\nHost: localhost\r\n'), 400),
  row('no host', withHost(''), 400),
]

const methods: readonly Row[] = [
  row('OPTIONS', get('/1', '', 'OPTIONS'), 204),
  row(
    'OPTIONS of events',
    get('/rest/1.0/event', 'Origin: http://a\r\nAccess-Control-Request-Method: POST\r\n', 'OPTIONS'),
    204,
  ),
  row('PUT', get('/1?v=Page', '', 'PUT'), 405),
  row('GET of events', get('/rest/1.0/event'), 405),
  row('POST to /1', post(one).replace('/rest/1.0/event', '/1'), 405),
  row('lower case', get('/1?v=Page', '', 'get'), 400),
  row('GET with a body', `${get('/1?v=Page', 'Content-Length: 5\r\n')}hello`, 202),
  row('GET with a body of nothing', get('/1?v=Page', 'Content-Length: 0\r\n'), 202),
]

const framing: readonly Row[] = [
  row('chunked', chunked(one), 202),
  row('chunked, in capitals', chunked(one).replace('chunked', 'CHUNKED'), 202),
  row('chunked and a length', chunked(one, `${json}Content-Length: 5\r\n`), 400),
  row('chunked after something', chunked(one).replace('chunked', 'gzip, chunked'), 400),
  row('two lengths', post(one, `${json}Content-Length: 40\r\n`), 400),
  row('a signed length', post(one).replace('Length: ', 'Length: +'), 400),
  row('a length with zeros', post(one).replace('Length: ', 'Length: 00'), 202),
  row('a blank length', post('').replace('Length: 0', 'Length:'), 400),
  row('Expect', post(one, `${json}Expect: 100-continue\r\n`), [100, 202]),
  row('Expect something else', post(one, `${json}Expect: more\r\n`), 417),
  row('HTTP/1.0', post(one).replace('HTTP/1.1', 'HTTP/1.0'), 202),
  row('HTTP/1.0 that lives on', post(one, `${json}Connection: keep-alive\r\n`).replace('HTTP/1.1', 'HTTP/1.0'), 202),
  row('HTTP/1.0 without a host', 'GET /1?v=Page HTTP/1.0\r\n\r\n', 202),
  row('HTTP/2.0', get('/1?v=Page').replace('HTTP/1.1', 'HTTP/2.0'), 400),
  row('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400),
  row('Connection: close', post(one, `${json}Connection: close\r\n`), 202),
  row('Connection: keep-alive', post(one, `${json}Connection: keep-alive\r\n`), 202),
  row('Connection: Keep-Alive', post(one, `${json}Connection: Keep-Alive\r\n`), 202),
  row(
    'Upgrade',
    get('/1?v=Page', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n'),
    202,
  ),
  row('line feeds alone', get('/1?v=Page').replaceAll('\r\n', '\n'), 400),
  row('empty lines in front', `\r\n\r\n${event}`, 202),
  row('TLS', '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003', 400),
  row('a body cut short', post(one).slice(0, -5), 400, { ends: true, plain: [400] }),
  row('a head cut short', event.slice(0, -5), 400, { ends: true, plain: [400] }),
  row('a request, and one that is cut short', [event, post(one).slice(0, -5)], [202, 400], {
    ends: true,
    plain: [202, 400],
  }),
  row('a request, and a head that is cut short', [event, event.slice(0, -5)], [202, 400], {
    ends: true,
    plain: [202, 400],
  }),
]

const worlds: readonly Row[] = [
  row('a full spool', [post(one), event], [503, 503], { world: 'full' }),
  row('a full spool that a chunked body is for', [chunked(one), event], [503, 503], { world: 'full' }),
  row('a spool that fails', [post(one), event], [500, 500], { world: 'failing' }),
  row('a spool that cannot tell', post(one), [], { world: 'unknown' }),
  row('a caller who may not', [post(one), event, get('/1?v=Page', '', 'HEAD')], [401, 401, 401], { world: 'denied' }),
  row('no time', [post(one), event], [503, 503], { world: 'shedding' }),
]

const livez = get('/livez')

/** Requests after one another, in one write: for the lane, for Node's server, and back, which there is no way. */
const pipelined: readonly Row[] = [
  row(
    'ten for the lane',
    Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? event : post(one))),
    Array(10).fill(202),
  ),
  row('none for the lane', [livez, chunked(one), event, livez], [200, 202, 202, 200]),
  row('some for the lane, and others', [event, post(one), livez, post(one), event], [202, 202, 200, 202, 202]),
  row('a chunked one in the middle', [post(one), chunked(one), post(`[${one}]`)], [202, 202, 202]),
  row(
    'refusals in the middle',
    [event, get('/1'), post('x'), event, get('/nothing'), event],
    [202, 400, 400, 202, 404, 202],
  ),
  row('a body that is too long in the middle', [event, post(' '.repeat(maxBody + 1)), event], [202, 413, 202]),
  row('HEAD in the middle', [event, get('/1?v=Page', '', 'HEAD'), post(one)], [202, 202, 202]),
  row('the end in the middle', [event, post(one, `${json}Connection: close\r\n`)], [202, 202]),
  row('something else behind them', [event, post(one), '\0\0\0'], [202, 202, 400]),
  row('HTTP/1.0 behind them', [event, 'GET /1?v=Page HTTP/1.0\r\n\r\n'], [202, 202]),
  row('two hosts behind them', [event, withHost('Host: a\r\nHost: b\r\n')], [202, 400], { isWire: true }),
  row('another host, as long, behind them', [event, withHost('Host: local/ost\r\n')], [202, 400], { isWire: true }),
  row('no host behind them', [event, withHost('')], [202, 400], { isWire: true }),
  row('an empty line between them', [event, '\r\n', post(one), '\r\n'], [202, 202]),
  row('a key and its replays', Array(4).fill(post(one, `${json}Idempotency-Key: k\r\n`)), [202, 202, 202, 202]),
]

const onWire = (rows: readonly Row[]): readonly Row[] => rows.map(row => ({ ...row, isWire: true }))

/** By what they show. */
export const groups: Readonly<Record<string, readonly Row[]>> = {
  taken,
  refused,
  keys,
  headers,
  targets,
  hosts: onWire(hosts),
  methods,
  framing: onWire(framing),
  worlds,
  pipelined,
}
