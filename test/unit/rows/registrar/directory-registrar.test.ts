import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRegistrar } from '../../../../src/rows/registrar/create-registrar.ts'
import type { Registrar } from '../../../../src/rows/registrar/registrar.ts'

let path = ''
let registrar: Registrar | undefined
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'sluice-schemas-'))
})
afterEach(async () => {
  registrar?.close()
  await rm(path, { recursive: true })
})

/** Whole, as it is looked at all the time. */
const put = async (name: string, text: string): Promise<void> => {
  await writeFile(join(path, `${name}.new`), text)
  await rename(join(path, `${name}.new`), join(path, name))
}
const open = async (warn = vi.fn()) => {
  const settings = { 'registrar.url': undefined, 'registrar.path': path, 'registrar.refresh-seconds': 0.01 }
  const opened = await createRegistrar(settings, { warn })
  registrar = opened
  return {
    fields: (type: string) => opened.fields(type),
    contracts: opened.contracts,
    problem: () => opened.problem?.(),
  }
}

test('columns follow from the properties, in their order', async () => {
  await put('Order.json', '{"properties":{"z":{"type":"integer"},"a":{"type":"string"}}}')
  const { fields, contracts } = await open()
  expect(fields('Order')).toEqual([
    { id: 1, name: 'z', type: 'long' },
    { id: 2, name: 'a', type: 'string' },
  ])
  expect(fields('Other')).toBeUndefined()
  expect([...(contracts?.().keys() ?? [])]).toEqual(['Order'])
})

test('files that change are read again; an unusable one is reported once, and the previous one stays', async () => {
  await put('Order.json', '{"properties":{"a":{}}}')
  const warn = vi.fn()
  const { fields, problem } = await open(warn)
  const names = (): string[] | undefined => fields('Order')?.map(({ name }) => name)
  await put('Order.json', '{"properties":{"a":{},"b":{}}}')
  await expect.poll(names).toEqual(['a', 'b'])
  await put('Order.json', '{\n"properties":{"a":{"typ":1}}}')
  await put('New.json', '{}')
  await expect.poll(() => problem()).toBe('Order.json:2: "typ" is no keyword of JSON Schema; did you mean type?')
  expect(names()).toEqual(['a', 'b'])
  await expect.poll(() => fields('New')).toEqual([])
  expect(warn.mock.calls).toEqual([
    [{ path, problems: [problem()] }, 'schemas of registrar.path cannot be used; the previous ones remain in effect'],
  ])
  await put('Order.json', '{"properties":{"c":{}}}')
  await expect.poll(names).toEqual(['c'])
  expect(problem()).toBe('')
})

test('what is wrong is logged when it changes, however often the directory is read', async () => {
  await put('Order.json', '{}')
  const warn = vi.fn()
  const { fields } = await open(warn)
  let round = 0
  /** Ends when files have been read again that are here now. */
  const readAgain = async (): Promise<void> => {
    const name = `n${round++}`
    await put('Round.json', `{"properties":{"${name}":{}}}`)
    await expect.poll(() => fields('Round')?.[0]?.name).toBe(name)
  }
  const logged = (): unknown[] => warn.mock.calls.map(([{ problems }]) => problems)
  const [first, second] = ['typ', 'requird'].map(word => `{"${word}":1}`)
  const found: unknown[] = []
  for (const text of [first, second, '{}', second]) {
    await put('Order.json', text ?? '')
    for (let times = 0; times < 3; times++) await readAgain()
    if (text !== '{}') found.push([expect.stringMatching(text === first ? '"typ"' : '"requird"')])
    expect(logged()).toEqual(found)
  }
})

test('a directory that is gone leaves everything', async () => {
  await put('Order.json', '{"properties":{"a":{}}}')
  const { fields, problem } = await open()
  await rm(path, { recursive: true })
  await expect.poll(() => problem()).toContain('ENOENT')
  expect(fields('Order')).toHaveLength(1)
  await mkdir(path)
  await expect.poll(() => problem()).toBe('')
  expect(fields('Order')).toBeUndefined()
})

test('the start names the file, the line and the reason', async () => {
  await put('Order.json', '{\n"properties":{"a":{"$ref":"file:///etc/passwd"}}}')
  await expect(open()).rejects.toThrow(
    `Cannot use the directory of registrar.path, ${path}: Order.json:2: $ref "file:///etc/passwd" leads out of the directory`,
  )
})

test('a file that is too large is refused unread', async () => {
  await put('Order.json', `{"description":"${'x'.repeat(300_000)}"}`)
  await expect(open()).rejects.toThrow('Order.json: more than 262144 bytes')
})
