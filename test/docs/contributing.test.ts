/** The changes that CONTRIBUTING.md shows, applied to a copy of the sources: they compile, a new format takes events, and a new page is shown. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { applyDiff } from '../suites/apply-diff.ts'

const copied = [
  'src',
  'admin/catalog',
  'test/unit/admin',
  'test/unit/codecs',
  'test/unit/collector',
  'test/unit/contract',
  'test/unit/gateway/pages',
  'test/suites',
  'openapi.yaml',
  'tsconfig.json',
  'package.json',
]

const directory = mkdtempSync(join(tmpdir(), 'sluice-contributing-'))
afterAll(() => rmSync(directory, { recursive: true }))

const page = readFileSync('CONTRIBUTING.md', 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = '']) => (name === language ? [code] : []))

/** Paths of what was changed or is new. */
const changed = new Set<string>()

beforeAll(() => {
  for (const path of copied) {
    cpSync(path, join(directory, path), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'))
  for (const code of blocks('ts')) {
    const [, path] = /^\/\/ (src\/\S+)\n/.exec(code) ?? []
    if (path === undefined) throw new Error(`Expected the path of a new file above: ${code.slice(0, 100)}`)
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), code)
    changed.add(path)
  }
  for (const diff of blocks('diff')) {
    for (const path of applyDiff(diff, directory)) changed.add(path)
  }
  const contract = parse(readFileSync(join(directory, 'openapi.yaml'), 'utf8'), { maxAliasCount: 0 })
  writeFileSync(join(directory, 'src/contract/openapi.gen.json'), JSON.stringify(contract))
})

test('there are changes to try', () => {
  expect([...changed]).toEqual(
    expect.arrayContaining([
      'src/codecs/brotli.ts',
      'src/collector/formats/connect.ts',
      'src/filesystem/objects/objects.ts',
      'src/gateway/pages/views/success-view.ts',
      'openapi.yaml',
    ]),
  )
})

test('they compile', () => {
  const settings = { extends: './tsconfig.json', include: [...changed, 'src/**/*.d.ts'], exclude: [] }
  writeFileSync(join(directory, 'tsconfig.changed.json'), JSON.stringify(settings))
  const args = ['-p', 'tsconfig.changed.json', '--noEmit']
  const { status, stdout } = spawnSync(resolve('node_modules/.bin/tsc'), args, { cwd: directory, encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

/** Posts to a collector over a spool in memory, short and long, good and bad. */
const program = `
import { createTestCollector, post, storedEvents } from './test/unit/collector/fakes.ts'
import { decodeEvents } from './src/spool/events/decode-events.ts'
const { collector, spool } = createTestCollector()
const type = 'application/vnd.kafka.connect+json'
const event = n => JSON.stringify({ schema: { name: 'shop.Order' }, payload: { n } })
const send = async (body, query) => (await post(collector, body, { type, query })).status
const statuses = [
  await send(event(1)),
  await send('[' + event(2) + ',{"payload":{}},' + event(3) + ']'),
  await send(event(4) + ' '.repeat(300_000)),
  await send(event(5) + '\\n{"schema":'),
  await send('[{"schema":{"name":"a' + event(6) + ',{"n":' + event(7) + ']'),
  await send(' '.repeat(300_000) + '{"x":tru ' + event(8) + ',{"n":' + event(9)),
  await send('{"x":tru ' + event(10) + ' '.repeat(300_000)),
  await send(event(11), '?gr=x'),
]
const { requests, failures, accepted, malformed } = collector.counters.POST_Connect_API
const events = spool.batches.flatMap(batch => [...decodeEvents(batch)].map(({ head, payload }) => [head.name, Number(payload.n)]))
console.log(JSON.stringify({ statuses, requests, failures, accepted, malformed, events }))
`

test('a format of events: it takes them, whole or in part, short or long, and counts what it refuses', () => {
  writeFileSync(join(directory, 'try.ts'), program)
  const { stdout, stderr } = spawnSync(process.execPath, ['try.ts'], { cwd: directory, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    statuses: [202, 202, 202, 202, 202, 202, 202, 400],
    requests: 8,
    failures: 1,
    accepted: 10,
    malformed: 8,
    events: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(n => ['shop.Order', n]),
  })
})

const storing = `
import { clustersOf } from './src/config/clusters.ts'
import { loadConfig } from './src/config/config.ts'
import { createNameSpace } from './src/filesystem/name-space.ts'
const argv = ['--set', 'clusters=[{"path":"/","url":"objects://bucket"}]']
const { settings } = loadConfig({ argv, env: {}, cwd: '/', readFile: () => { throw Object.assign(new Error(), { code: 'ENOENT' }) } })
const fileSystem = await createNameSpace(clustersOf(settings), () => undefined)
const publish = async text => (await fileSystem.publish('/d/f', new Blob([text]).stream())).outcome
const outcomes = [await publish('one'), await publish('two')]
console.log(JSON.stringify({ outcomes, text: await new Response(await fileSystem.open('/d/f')).text() }))
`

test('a file system: it is a cluster of the settings, and keeps files', () => {
  writeFileSync(join(directory, 'try-files.ts'), storing)
  const { stdout, stderr } = spawnSync(process.execPath, ['try-files.ts'], { cwd: directory, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ outcomes: ['done', 'foreign'], text: 'one' })
})

const browsing = `
import { createWorld } from './test/unit/gateway/pages/world.ts'
const { page } = await createWorld({ files: { '/out/_SUCCESS': '', '/out/rows.txt': '1' } })
const shows = async query => {
  const html = await page('/rest/1.0/hdfs?path=/out' + query)
  return html.includes('<p class="heading">A job has written this directory.</p>') && html.includes('<main id="main" class="narrow"')
}
console.log(JSON.stringify([await shows('/_SUCCESS'), await shows('/_SUCCESS&show=bytes'), await shows('/rows.txt'), await shows('')]))
`

test('a page of a path: it is shown, in the frame of all pages, for that path alone', () => {
  writeFileSync(join(directory, 'try-pages.ts'), browsing)
  const { stdout, stderr } = spawnSync(process.execPath, ['try-pages.ts'], { cwd: directory, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual([true, false, false, false])
})
