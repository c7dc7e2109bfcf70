import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFileRegistrar } from '../../../../src/rows/registrar/file-registrar.ts'
import { parseSchemaFile } from '../../../../src/rows/registrar/schema-file.ts'
import { eventually } from '../../../suites/eventually.ts'

test('parseSchemaFile reads lists of names, and fields by id, with types or without', () => {
  const types = parseSchemaFile(`
# What pages send.
PageView: [path, width]
Order:
  7: coupon
  1: { name: id, type: LONG }
  -2: { name: total }
Empty: []
`)
  expect([...types]).toEqual([
    [
      'PageView',
      [
        { id: 1, name: 'path', type: '' },
        { id: 2, name: 'width', type: '' },
      ],
    ],
    [
      'Order',
      [
        { id: -2, name: 'total', type: '' },
        { id: 1, name: 'id', type: 'long' },
        { id: 7, name: 'coupon', type: '' },
      ],
    ],
    ['Empty', []],
  ])
})

test.each([
  ['nothing', ''],
  ['a comment', '# later\n'],
])('a file with %s has no types', (_, text) => {
  expect(parseSchemaFile(text).size).toBe(0)
})

test('JSON is read, and names that objects have are names', () => {
  expect([...parseSchemaFile('{"__proto__": ["constructor"]}')]).toEqual([
    ['__proto__', [{ id: 1, name: 'constructor', type: '' }]],
  ])
})

test.each([
  ['PageView: [path', /^not YAML: /],
  ['A: [x]\nA: [y]', /^not YAML: .*unique/],
  ['[PageView]', /^expected a member for each event type/],
  ['PageView: path', /^PageView: expected a list of field names, or fields by id/],
  [`PageView: [${'x,'.repeat(5_000)}]`, /4096 at most/],
  ['PageView: { path: 1 }', /^PageView, field path: expected an id of a Thrift field/],
  ['PageView: { 40000: path }', /^PageView, field 40000: expected an id/],
  ['PageView: [1]', /^PageView, field 1: expected a name/],
  ['PageView: [""]', /^PageView, field 1: expected a name/],
  ['PageView: [a, a]', /^PageView, field 2: the name "a" is there twice/],
  [
    'PageView: [{ name: a, type: text }]',
    /^PageView, field 1: the type "text" is unknown; expected one of boolean, byte/,
  ],
])('%s is refused', (text, message) => {
  expect(() => parseSchemaFile(text)).toThrow(message)
})

test('a file that cannot be used later is logged once, and what was known is kept', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-schemas-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const path = join(directory, 'schemas.yaml')
  const log = { warn: vi.fn() }
  await expect(createFileRegistrar({ path, refreshMs: 1_000, log })).rejects.toThrow(
    `Cannot use the file of registrar.path, ${path}: ENOENT`,
  )
  await writeFile(path, 'A: [x]')
  const registrar = await createFileRegistrar({ path, refreshMs: 1_000, log })
  onTestFinished(() => registrar.close())
  expect(registrar.fields('A')).toMatchObject([{ name: 'x' }])
  const heard = vi.fn()
  registrar.known?.onChange(heard)
  await writeFile(path, 'A: 1')
  vi.advanceTimersByTime(1_000)
  await eventually(() => expect(log.warn).toHaveBeenCalledTimes(1))
  vi.advanceTimersByTime(1_000)
  await writeFile(path, 'A: [y]')
  await eventually(() => {
    vi.advanceTimersByTime(1_000)
    expect(registrar.fields('A')).toMatchObject([{ name: 'y' }])
  })
  expect(log.warn).toHaveBeenCalledTimes(1)
  expect(heard).toHaveBeenLastCalledWith(registrar.known?.current())
})
