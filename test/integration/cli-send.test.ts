/** `sluice send` as a process beside a server. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
let env: Record<string, string> = {}
let cwd = ''
afterAll(cleanUp)

beforeAll(async () => {
  cwd = createDirectory()
  const settings = ['collector.scribe.enabled=false', 'collector.diskspool.min-free-bytes=0']
  const server = start(process.execPath, [bin, 'serve', ...settings.flatMap(one => ['--set', one])], { cwd })
  const ready = await server.logged('sluice is ready')
  env = { SLUICE_URL: String(ready['admin']), SLUICE_SERVER_URL: String(ready['server']) }
})

const sluice = (words: readonly string[], { input = '', more = {} } = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>(done => {
    const all = { PATH: process.env['PATH'], HOME: '/nonexistent', ...env, ...more }
    const child = execFile(process.execPath, [bin, ...words], { cwd, env: all }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number((error as { code?: unknown }).code), stdout, stderr }),
    )
    child.stdin?.end(input)
  })

const good = (n: number) => JSON.stringify({ eventName: 'Line', payload: { n } })

const rowsOf = async (type: string) => {
  await sluice(['flush', 'now'])
  const { stdout } = await sluice(['fs', 'rows', `/events/${type}`, '--recursive', '-o', 'ndjson'])
  return stdout
}

test('fields: JSON where they are, text otherwise, fields in fields, numbers exact', async () => {
  const words = ['Hat', 'n=12345678901234567890', 'f=1.5', 'is=true', 'no=null', 'list=[1]', 'text=a b', 'user.id=7']
  const more = ['user.name=Ann', '--string', 'zip=01', '-s', 'digits=12', '--json', '{"sku":{"a":1}}']
  expect(await sluice(['send', ...words, ...more])).toEqual({ code: 0, stdout: '✓ 1 event accepted\n', stderr: '' })
  const line = await rowsOf('Hat')
  for (const part of [
    '"n":12345678901234567890',
    '"f":1.5',
    '"is":true',
    '"list":[1]',
    '"text":"a b"',
    '"user":{"id":7,"name":"Ann"}',
    '"zip":"01"',
    '"digits":"12"',
    '"sku":{"a":1}',
  ])
    expect(line).toContain(part)
})

test('a file of lines: what is refused is named by its number, the rest is taken', async () => {
  const lines = Array.from({ length: 7_000 }, (_, n) => (n === 6_000 ? '{"eventName":"Li/ne","payload":{}}' : good(n)))
  writeFileSync(join(cwd, 'lines.jsonl'), `${lines.join('\n')}\n\n`)
  const { code, stdout, stderr } = await sluice(['send', '--file', 'lines.jsonl'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^lines\.jsonl: line 6001: [\w-]+: .+\n✗ 6999 events accepted, 1 refused\n$/)
  const input = `${good(1)}\n${good(2)}`
  const both = await sluice(['send', '--file', '-', '-o', 'json'], { input })
  expect(JSON.parse(both.stdout)).toEqual({ accepted: 2, refused: 0, mismatched: 0, errors: [] })
})

test('Smile and JSON files, with a date for events without one', async () => {
  const writer = createSmileWriter()
  writer.write({ eventName: 'Smiled', payload: { n: 1 } })
  writeFileSync(join(cwd, 'one.smile'), writer.take())
  writeFileSync(join(cwd, 'two.json'), '[{"eventName":"Jay","payload":{}},{"eventName":"Jay","payload":{}}]')
  expect((await sluice(['send', '--file', 'one.smile'])).stdout).toBe('✓ 1 event accepted\n')
  const words = ['send', '--file', 'two.json', '--date', '2009-01-02', '--granularity', 'DAILY']
  expect((await sluice(words)).stdout).toBe('✓ 2 events accepted\n')
  expect((await rowsOf('Jay/2009/01/02')).split('\n')).toHaveLength(3)
})

test('a refused line is named by its number in the file, with the place in that line', async () => {
  writeFileSync(
    join(cwd, 'some.jsonl'),
    `${good(1)}\n\n{"eventName":"B","payload":{"a":\n${good(2)}\n{"eventName":"C","payload":3}\n`,
  )
  const { code, stderr } = await sluice(['send', '--file', 'some.jsonl'])
  const [first, second, last] = stderr.split('\n')
  expect(code).toBe(1)
  expect(first).toMatch(/^some\.jsonl: line 3: bad-event: json: expected a value, found the end at character 32$/)
  expect(second).toMatch(/^some\.jsonl: line 5: bad-event: payload is 3/)
  expect(last).toBe('✗ 2 events accepted, 2 refused')
  // One event over two lines: the line is unknown, the number of the event is not.
  writeFileSync(join(cwd, 'over.jsonl'), '{"eventName":"A",\n"payload":{}}\n{"eventName":"C","payload":3}\n')
  expect((await sluice(['send', '--file', 'over.jsonl'])).stderr).toMatch(/^over\.jsonl: event 2: bad-event: /)
})

test('compressed files, by their names; formats given for standard input', async () => {
  writeFileSync(join(cwd, 'many.JSONL.GZ'), gzipSync(`${good(1)}\n${good(2)}\n`))
  writeFileSync(join(cwd, 'many.json.zst'), zstdCompressSync(`[${good(1)},${good(2)}]`))
  for (const file of ['many.JSONL.GZ', 'many.json.zst'])
    expect(await sluice(['send', '--file', file])).toEqual({ code: 0, stdout: '✓ 2 events accepted\n', stderr: '' })
  const input = `[${good(1)},\n${good(2)}]`
  expect((await sluice(['send', '--file', '-', '--as', 'json'], { input })).stdout).toBe('✓ 2 events accepted\n')
  for (const end of ['jsonl', 'json']) {
    writeFileSync(join(cwd, `broken.${end}.gz`), gzipSync(good(1)).subarray(0, 20))
    expect(await sluice(['send', '--file', `broken.${end}.gz`])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /broken\.json\w?\.gz cannot be read: (gzip: damaged or cut short: )?unexpected end of file/,
      ),
    })
  }
})

test('a file that would become too large a request is not held', async () => {
  writeFileSync(join(cwd, 'large.json.gz'), gzipSync(Buffer.alloc((64 << 20) + 1, ' ')))
  expect(await sluice(['send', '--file', 'large.json.gz'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('larger than 64 MiB'),
  })
})

test.each([
  [['send'], 2, /Nothing to send/],
  [['send', 'a=1'], 2, /expected the event type first/],
  [['send', 'A', 'b'], 2, /b: expected field=value/],
  [['send', 'A', 'b=1', 'b.c=2'], 2, /b has a value and cannot have fields/],
  [['send', 'A', 'b=1', '-s', 'b=2'], 2, /b is given twice/],
  [['send', 'A', '--json', '[1]'], 2, /expected an object/],
  [['send', 'A', 'b=1', '--file', 'x.json'], 2, /Give fields or --file, not both/],
  [['send', '--file', 'x.txt'], 2, /--format jsonl\|json\|smile\|thrift/],
  [['send', '--file', 'nothing.json'], 1, /nothing\.json cannot be read/],
  [['send', 'A', 'b=1', '--date', 'soon'], 1, /date/],
  [['send', 'A', '--server-url', 'http://127.0.0.1:1'], 3, /Nothing answers/],
])('%j ends with %i', async (words, code, message) => {
  const result = await sluice(words)
  expect(result.stderr).toMatch(message)
  expect(result).toMatchObject({ code, stdout: '' })
})
