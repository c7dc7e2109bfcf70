/** What `docs/how-to/eventtracker-2012.md` says of the gateway, asked of a server. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../suites/admin.ts'

const page = readFileSync('docs/how-to/eventtracker-2012.md', 'utf8')
/** What the page has for each request of the table on the gateway. */
const told = new Map(
  [...page.slice(page.indexOf('| request |')).matchAll(/^\| (?!request|---)(.*?) \| .*? \| (.*) \|$/gm)].map(
    ([, request = '', now = '']) => [request, now] as const,
  ),
)

const doubleOf = (value: number): readonly number[] => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return [...bytes]
}

/** Two bools and three doubles, as the fields 1 to 5 of a Thrift struct. */
const struct = Buffer.from(
  [
    [2, 0, 1, 1],
    [2, 0, 2, 0],
    [4, 0, 3, ...doubleOf(3)],
    [4, 0, 4, ...doubleOf(1e7)],
    [4, 0, 5, ...doubleOf(1e-5)],
    [0],
  ].flat(),
)

let server: TestServer
beforeAll(async () => {
  server = await createTestServer()
  const send = async (target: string, type: string, body: string | Buffer<ArrayBuffer>): Promise<void> => {
    const response = await server.server(target, { method: 'POST', headers: { 'content-type': type }, body })
    expect(response.ok).toBe(true)
  }
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
  await send('/rest/1.0?path=/lines.txt', 'text/plain', lines.join(''))
  await send('/rest/1.0/event?name=Then', 'ning/thrift', struct)
  await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
  await server.beat()
})
afterAll(() => server.close())

const ask = async (target: string) => {
  const response = await server.server(target)
  const type = response.headers.get('content-type')?.split(';')[0]
  return { status: response.status, type, text: await response.text() }
}

/** The values of the Thrift event in its line of CSV. */
const valuesOf = async (from: number, to: number): Promise<string> => {
  const { text } = await ask('/rest/1.0/text?path=/events/Then&recursive=true')
  return text.trimEnd().split(',').slice(from, to).join(' ')
}

/** What a server answers, and the words of the page that say so. */
const checks: Readonly<
  Record<string, { readonly words: string; readonly ask: () => Promise<string>; readonly want: string }>
> = {
  '`range=1-50`': {
    words: '51 rows: both ends are included, and a first of 1 starts at the top',
    ask: async () => {
      const lines = (await ask('/rest/1.0/text?path=/lines.txt&range=1-50')).text.trimEnd().split('\r\n')
      return `${lines.length} rows from ${lines[0]}`
    },
    want: '51 rows from line 0',
  },
  '`/rest/1.0/binary` of a path that does not exist': {
    words: '404 with a problem in JSON',
    ask: async () => {
      const { status, type } = await ask('/rest/1.0/binary?path=/none')
      return `${status} ${type}`
    },
    want: '404 application/problem+json',
  },
  '`/rest/1.0/hdfs?raw=true`, `raw=false`': {
    words: 'page, text',
    ask: async () => {
      const answers = await Promise.all(['true', 'false'].map(raw => ask(`/rest/1.0/hdfs?path=/lines.txt&raw=${raw}`)))
      return answers.map(({ type }) => type).join(', ')
    },
    want: 'text/html, text/plain',
  },
  'a bool of Thrift in CSV': { words: '`true`, `false`', ask: () => valuesOf(0, 2), want: 'true false' },
  'a double of Thrift in CSV: 3, 10⁷, 10⁻⁵': {
    words: '`3.0`, `10000000.0`, `0.00001`',
    ask: () => valuesOf(2, 5),
    want: '3.0 10000000.0 0.00001',
  },
}

test('the page has the words of each of these, and nothing else', () => {
  const words = Object.entries(checks).map(([request, check]) => [request, check.words] as const)
  expect(told).toEqual(new Map(words))
})

test.each(Object.entries(checks))('%s', async (_, check) => {
  expect(await check.ask()).toBe(check.want)
})
