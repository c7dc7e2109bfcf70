import type { Random } from '../../fuzz/random.ts'

/** What one place may contain: plain values in nearly all cases, odd ones in some. */
type Choice = { readonly plain: readonly string[]; readonly odd: readonly string[] }

const methods: Choice = {
  plain: ['GET', 'POST'],
  odd: ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'get', 'PoST', 'GETT', 'M-SEARCH', 'PRI', ''],
}
const getTargets: Choice = {
  plain: ['/1?v=a', '/2?v=a', '/1', '/2?', '/1?v=Page,sx,b1&date=2009-01-02T03:04:05Z'],
  odd: [
    '/',
    '*',
    '//1',
    '/3',
    '/1;a=b',
    '/1/',
    '/%31',
    '/1#f',
    '/1?v=\u00e4',
    '/1?v=a b',
    'http://h/1?v=a',
    'h:80',
    '',
  ],
}
const postTargets: Choice = {
  plain: ['/rest/1.0/event', '/rest/1.0/event?name=a&gr=DAILY'],
  odd: [
    '/rest/1.0/event/',
    '/rest/1.0',
    '/REST/1.0/event',
    '/rest/1.0/event;a',
    '/1?v=a',
    'http://evil/rest/1.0/event',
  ],
}
const versions: Choice = {
  plain: ['HTTP/1.1'],
  odd: [
    'HTTP/1.0',
    'HTTP/1.0',
    'HTTP/1.2',
    'HTTP/0.9',
    'HTTP/2.0',
    'http/1.1',
    'HTTP/1.1 ',
    'HTTP/1.',
    'HTTP/1.11',
    '',
  ],
}
const spaces: Choice = { plain: [' '], odd: ['  ', '\t', '', '\u00a0', '\v'] }
const lineEnds: Choice = { plain: ['\r\n'], odd: ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', '\r\n ', ''] }
const colons: Choice = { plain: [': ', ': ', ':', ':  ', ':\t'], odd: [' :', '', '\t: ', ':\r\n ', ': \0'] }
const valueEnds: Choice = { plain: ['', '', '', ' ', '\t', ' \t '], odd: ['\0', '\r', '\u00ff', '\u007f', ' x'] }
const hosts: Choice = {
  plain: ['h', 'localhost:8080', '127.0.0.1', '[::1]:80', 'example.org'],
  odd: ['', 'h,g', 'a@b', 'h:x', '[::1', 'h/1', 'h h', '\u00e4'],
}
const connections: Choice = {
  plain: ['keep-alive', 'Keep-Alive', 'KEEP-ALIVE'],
  odd: ['close', 'keep-alive, close', 'upgrade', '', 'x', 'close, keep-alive', 'Host'],
}
const plainHeaders: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['Content-Type', ['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/thrift', 'x']],
  ['User-Agent', ['curl/8', 'Mozilla/5.0 (X11; Linux x86_64)', '\u00e4']],
  ['Accept', ['*/*', 'application/json', 'a,b']],
  ['Accept-Encoding', ['gzip, deflate, br']],
  ['Referer', ['http://example.org/a?b', '/x']],
  ['X-Forwarded-For', ['10.1.2.3', '10.1.2.3, 10.4.5.6', '::1']],
  ['Idempotency-Key', ['k1', '"k1"', 'k'.repeat(70)]],
  ['Prefer', ['handling=strict', 'return=minimal']],
  ['Content-Encoding', ['gzip', 'identity', 'zstd']],
  ['Cookie', ['a=b', 'a=b; c=d']],
  ['Authorization', ['Bearer x', 'Basic eA==']],
  ['Origin', ['http://evil.example', 'null']],
  ['X-Long', ['y'.repeat(300), 'y'.repeat(900)]],
  ['x-a', ['1', '', '2,3']],
]
const oddHeaders = [
  'Expect: 100-continue',
  'Expect: x',
  'Upgrade: h2c',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: 1, 1',
  'Host: evil',
  'Trailer: x',
  'TE: trailers',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=1',
  'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Bad Name: x',
  'No-Colon',
  ' folded',
  '\tfolded',
  ': empty',
  'X-Nul: a\0b',
  'X-Cr: a\rb',
  '__proto__: x',
  'X-Long: '.padEnd(2_100, 'z'),
  'a:\r\n'.repeat(400).trimEnd(),
]
const lengthOddities: readonly ((length: number) => string)[] = [
  length => `0${length}`,
  length => `+${length}`,
  length => `${length} `,
  length => `${length},${length}`,
  length => String(length + 1),
  length => String(Math.max(0, length - 1)),
  length => `${length}\r\nContent-Length: ${length}`,
  length => `${length}\r\nContent-Length: 0`,
  () => '',
  () => '-1',
  () => '0x1',
  () => '99999999999999999999',
]
const chunkExtensions = ['', '', '', ';a', ';a=b', ' ', ';a="b"', '\n']

/** How likely something odd is in a request that may have it, once in this many places. */
const oddEvery = 12

/**
 * One to five requests after one another, as latin1: most of them as clients write them, the others with a mistake or
 * some. Its body may be a request itself.
 */
export const createConnection = (random: Random): string => {
  let text = ''
  const most = random.below(4) === 0 ? 5 : 2
  for (let left = 1 + random.below(most); left > 0; left -= 1) text += createRequest(random)
  // Cut short.
  return random.below(12) === 0 ? text.slice(0, random.below(text.length + 1)) : text
}

const createRequest = (random: Random): string => {
  const isPlain = random.below(5) > 1
  const choose = ({ plain, odd }: Choice): string => random.pick(isPlain || random.below(oddEvery) > 0 ? plain : odd)
  const isOdd = (): boolean => !isPlain && random.below(oddEvery) === 0

  const method = choose(methods)
  const target = choose(method === 'POST' ? postTargets : getTargets)
  const body = method === 'POST' || isOdd() ? createBody(random) : ''
  const isChunked = isOdd() && random.below(2) === 0
  const headers: string[] = []
  const add = (name: string, value: string): void => {
    headers.push(`${toCase(name, random)}${choose(colons)}${value}${choose(valueEnds)}`)
  }
  if (!isOdd()) add('Host', choose(hosts))
  for (let left = random.below(4); left > 0; left -= 1) {
    const [name, values] = random.pick(plainHeaders)
    add(name, random.pick(values))
  }
  if (random.below(4) === 0) add('Connection', choose(connections))
  if (isChunked) add('Transfer-Encoding', 'chunked')
  if ((method === 'POST' || body !== '') && (!isChunked || isOdd()) && !isOdd()) {
    add('Content-Length', isOdd() || isOdd() ? random.pick(lengthOddities)(body.length) : String(body.length))
  }
  if (isOdd() || isOdd()) headers.splice(random.below(headers.length + 1), 0, random.pick(oddHeaders))
  const start = `${method}${choose(spaces)}${target}${choose(spaces)}${choose(versions)}${choose(lineEnds)}`
  const head = headers.map(header => `${header}${choose(lineEnds)}`).join('')
  return `${start}${head}${choose(lineEnds)}${isChunked ? toChunks(body, random) : body}`
}

const createBody = (random: Random): string => {
  switch (random.below(6)) {
    case 0:
      return ''
    case 1:
      return 'GET /1?v=inner HTTP/1.1\r\nHost: h\r\n\r\n'
    case 2:
      return 'b'.repeat(random.below(600))
    case 3:
      return '0\r\n\r\n'
    default:
      return '{"eventName":"a","payload":{}}'
  }
}

const toChunks = (body: string, random: Random): string => {
  let text = ''
  let at = 0
  while (at < body.length) {
    const length = 1 + random.below(body.length - at)
    text += `${length.toString(16)}${random.pick(chunkExtensions)}\r\n${body.slice(at, at + length)}\r\n`
    at += length
  }
  return `${text}0\r\n${random.below(6) === 0 ? 'X-Trailer: 1\r\n' : ''}\r\n`
}

const toCase = (name: string, random: Random): string => {
  switch (random.below(6)) {
    case 0:
      return name.toLowerCase()
    case 1:
      return name.toUpperCase()
    default:
      return name
  }
}
