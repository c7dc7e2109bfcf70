import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createSequenceFileWriter } from '../../src/formats/sequence-file/writer.ts'
import { at } from '../suites/gateway.ts'
import { type Child, cleanUp, createDirectory, start } from './process/child.ts'

afterEach(cleanUp)

const main = resolve('src/main.ts')
const modules = 'test/fixtures/rows/modules'
const toSets = (settings: readonly string[]) => settings.flatMap(one => ['--set', one])

/** A server as the reference starts it (events-and-rows.md): from the directory of the project, with its data elsewhere. */
const startHere = (...settings: readonly string[]): Child => {
  const data = `data.dir=${createDirectory()}`
  return start(process.execPath, [main, ...toSets([data, ...settings])], { cwd: resolve('.') })
}

const toPoint = (x: number, y: number): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeInt32BE(x, 0)
  bytes.writeInt32BE(y, 4)
  return bytes
}

const toClick = (time: number, page: string): Uint8Array => {
  const head = Buffer.alloc(10)
  head.writeBigInt64BE(BigInt(time), 0)
  head.writeUInt16BE(Buffer.byteLength(page), 8)
  return Buffer.concat([head, Buffer.from(page)])
}

const toSequenceFile = (valueClass: string, values: readonly Uint8Array[]): Uint8Array => {
  const keyClass = 'org.apache.hadoop.io.NullWritable'
  const writer = createSequenceFileWriter({ keyClass, valueClass, sync: Buffer.alloc(16, 's') })
  for (const value of values) writer.append(new Uint8Array(0), value)
  return writer.finish()
}

const points = Buffer.concat([toPoint(1, -2), toPoint(2_147_483_647, 0)])
const pointRows = [
  { x: 1, y: -2 },
  { x: 2_147_483_647, y: 0 },
]
const pointFile = toSequenceFile('com.example.Point', [toPoint(3, 4), toPoint(5, 6)])
const clicks = toSequenceFile('com.example.Click', [toClick(1_700_000_000_000, '/home'), toClick(0, 'ünter "x"')])

/** Files of formats that only the two modules know, and the results. */
const files = [
  { name: 'some.points', body: points, serializer: 'points', json: pointRows, text: '1,-2\r\n2147483647,0\r\n' },
  {
    name: 'points.seq',
    body: pointFile,
    serializer: expect.stringContaining('points'),
    json: [
      { x: 3, y: 4 },
      { x: 5, y: 6 },
    ],
    text: '3,4\r\n5,6\r\n',
  },
  {
    name: 'clicks.seq',
    body: clicks,
    serializer: expect.stringContaining('sequence'),
    json: [
      { time: 1_700_000_000_000, page: '/home' },
      { time: 0, page: 'ünter "x"' },
    ],
    text: '1700000000000,/home\r\n0,"ünter ""x"""\r\n',
  },
]

/** Uploads each file, and reads it on every endpoint that has rows. */
const expectRows = async (server: Child): Promise<void> => {
  const base = String((await server.logged('sluice is ready'))['server'])
  for (const { name, body, serializer, json, text } of files) {
    const path = `/own/${name}`
    const upload = await fetch(base + at('', path), { method: 'POST', body: new Uint8Array(body) })
    expect([name, upload.status]).toEqual([name, 201])
    const asJson = await fetch(base + at('/json', path))
    expect([asJson.status, asJson.headers.get('x-row-serializer')]).toEqual([200, serializer])
    expect(await asJson.json()).toMatchObject({ entries: [{ path, content: json }] })
    const asText = await fetch(base + at('/text', path))
    expect([asText.status, await asText.text()]).toEqual([200, text])
    const page = await fetch(base + at('/hdfs', path), { headers: { accept: 'text/html' } })
    expect([page.status, toTable(await page.text())]).toEqual([200, toCellTexts(json)])
  }
  // One after the other, as any rows of a directory.
  const all = await fetch(base + at('/text', '/own', '&range=1-100'))
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  expect(await all.text()).toBe(sorted.map(({ text }) => text).join(''))
}

/** The texts of a page's cells, a list for each row of the table; the number of the row left out. */
const toTable = (html: string): readonly (readonly string[])[] =>
  [...html.matchAll(/<tr id="row-\d+">(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => toPlain(cell)),
  )

const toPlain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:quot|#34);/g, '"')
    .replace(/&#(?:x2f|47);/gi, '/')

const toCellTexts = (rows: readonly object[]): readonly (readonly string[])[] =>
  rows.map(row => Object.values(row).map(String))

describe('serializers of a user', () => {
  test('as the reference adds them, relative to where the server starts', async () => {
    await expectRows(
      startHere(
        `io.row.serializations=./${modules}/point-serializer.js`,
        `io.serializations=./${modules}/click-serialization.js`,
      ),
    )
  })

  test('in sluice.yaml, beside it in a directory of their own', async () => {
    const cwd = createDirectory()
    mkdirSync(join(cwd, 'formats'))
    copyFileSync(`${modules}/point-serializer.js`, join(cwd, 'formats/points.mjs'))
    copyFileSync(`${modules}/click-serialization.js`, join(cwd, 'formats/clicks.mjs'))
    writeFileSync(
      join(cwd, 'sluice.yaml'),
      'io.row.serializations: [formats/points.mjs]\nio.serializations: [./formats/clicks.mjs]\n',
    )
    await expectRows(start(process.execPath, [main], { cwd }))
  })

  test('without them the class is named, and the setting that adds it', async () => {
    const server = startHere()
    const base = String((await server.logged('sluice is ready'))['server'])
    await fetch(base + at('', '/clicks.seq'), { method: 'POST', body: new Uint8Array(clicks) })
    const answer = await fetch(base + at('/text', '/clicks.seq'))
    expect(answer.status).toBe(422)
    expect(await answer.text()).toMatch(/com\.example\.Click.*io\.serializations/)
  })
})

describe('a module that cannot be used ends the start, named', () => {
  const startWith = (setting: string): Child => {
    const cwd = createDirectory()
    writeFileSync(join(cwd, 'nonsense.mjs'), 'export const serializer = 42\nexport const serialization = {}\n')
    writeFileSync(join(cwd, 'broken.mjs'), 'export const = \n')
    return start(process.execPath, [main, ...toSets([setting])], { cwd })
  }
  const given = [
    {
      setting: 'io.row.serializations=./none.js',
      want: /io\.row\.serializations names "\.\/none\.js", which cannot be loaded: /,
    },
    {
      setting: 'io.serializations=no-such-package-here',
      want: /io\.serializations names "no-such-package-here", which cannot be loaded: /,
    },
    {
      setting: 'io.row.serializations=./broken.mjs',
      want: /io\.row\.serializations names "\.\/broken\.mjs", which cannot be loaded: /,
    },
    {
      setting: 'io.row.serializations=nonsense.mjs',
      want: /names "nonsense\.mjs", which cannot be used: expected .* serializer/,
    },
    {
      setting: 'io.serializations=nonsense.mjs',
      want: /names "nonsense\.mjs", which cannot be used: expected .* serialization/,
    },
  ]

  test.each(given)('$setting', async ({ setting, want }) => {
    const server = startWith(setting)
    expect(await server.ended()).toBe(1)
    expect(server.output().split('\n')[0]).toMatch(want)
  })

  test('in one sentence', async () => {
    const server = startWith('io.row.serializations=./none.js')
    await server.ended()
    expect(server.output().trimEnd()).not.toContain('\n')
  })
})
