import { beforeEach, describe, expect, test } from 'vitest'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import { encodeHeader, UnknownFormat } from '../../../../src/spool/framing/format-header.ts'
import { toFrame } from '../../../../src/spool/framing/framing.ts'
import type { RegisteredField } from '../../../../src/spool/parquet/event-schema.ts'
import { readSchemas } from '../../../../src/spool/parquet/schema-file.ts'
import { maxSchemas, openSchemaStore, type SchemaStore } from '../../../../src/spool/parquet/schema-store.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

const nobody = async (): Promise<undefined> => undefined

/** Lets a type learn from rows, as the encoder of a file does. */
const learn = async (
  store: SchemaStore,
  name: string,
  ...rows: { [key: string]: number | string }[]
): Promise<void> => {
  const schema = await store.prepare(name)
  const file = { unseen: () => rows.map(payload => ({ payload, isTyped: true })) }
  schema.join(file)
  store.learn(schema)
  schema.leave(file)
}

const columnsOf = async (disk: TearingDisk): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await readSchemas(disk)).schemas.map(({ eventName, columns }) => [eventName, [...columns.struct.keys()].slice(3)]),
  )

let disk: TearingDisk
beforeEach(() => {
  disk = createTearingDisk()
})

describe('schemas that are remembered', () => {
  test.each([0, 0.5, 0.99])('are those that were saved, after a power cut too', async chance => {
    const store = await openSchemaStore(disk, nobody)
    await learn(store, 'One', { b: 1, a: 'x' })
    await store.save()
    await learn(store, 'Two', { c: 1 })
    disk = disk.powerCut(() => chance)
    expect(await columnsOf(disk)).toEqual({ One: ['b', 'a'] })
    const again = await openSchemaStore(disk, nobody)
    expect((await again.prepare('One')).columns.struct.get('a')).toBe('text')
    await learn(again, 'One', { a: 1, c: 1 })
    await again.save()
    expect(await columnsOf(disk)).toEqual({ One: ['b', 'a', 'c'] })
  })

  test.each([0, 0.5, 0.99])('a cut while they are written leaves what they were', async chance => {
    const store = await openSchemaStore(disk, nobody)
    await learn(store, 'One', { a: 1 })
    await store.save()
    await writeSynced(disk, 'schemas.next', Uint8Array.of(1, 2, 3))
    disk = disk.powerCut(() => chance)
    expect(await columnsOf(disk)).toEqual({ One: ['a'] })
    const again = await openSchemaStore(disk, nobody)
    await learn(again, 'One', { b: 1 })
    await again.save()
    expect(await columnsOf(disk)).toEqual({ One: ['a', 'b'] })
  })

  test('are written only when there is something new', async () => {
    const store = await openSchemaStore(disk, nobody)
    await learn(store, 'One', { a: 1 })
    await store.save()
    await disk.unlink('schemas')
    await learn(store, 'One', { a: 2 })
    await store.save()
    expect(await columnsOf(disk)).toEqual({})
  })

  test('of another, newer version: nothing is read', async () => {
    const newer = toFrame(0, new TextEncoder().encode('{"format":"schemas","version":99}'))
    await writeSynced(disk, 'schemas', newer)
    await expect(openSchemaStore(disk, nobody)).rejects.toThrow(UnknownFormat)
  })

  test.each<[string, Uint8Array]>([
    ['no JSON', new TextEncoder().encode('{')],
    [
      'columns that are in other places',
      new TextEncoder().encode('{"eventName":"Two","columns":{"struct":[["a","text"]]}}'),
    ],
    ['no kind', new TextEncoder().encode('{"eventName":"Two","columns":7}')],
    [
      'nested without an end',
      new TextEncoder().encode(`{"eventName":"Two","columns":${'{"list":'.repeat(99)}"text"${'}'.repeat(99)}}`),
    ],
  ])('damaged: %s ends them, and what stands before counts', async (_, payload) => {
    const good = new TextEncoder().encode(
      '{"eventName":"One","columns":{"struct":[["eventName","text"],["eventDate","timestamp"],["eventGranularity","text"]]}}',
    )
    const bytes = Buffer.concat([encodeHeader('schemas'), toFrame(1, good), toFrame(1, payload), toFrame(1, good)])
    await writeSynced(disk, 'schemas', bytes)
    const { schemas, damagedAt } = await readSchemas(disk)
    expect(schemas.map(({ eventName }) => eventName)).toEqual(['One'])
    expect(damagedAt).toBe(encodeHeader('schemas').length + toFrame(1, good).length)
  })
})

describe('a registry', () => {
  test('is asked for each segment, and what it knows is remembered', async () => {
    let fields: readonly RegisteredField[] | undefined
    const asked: string[] = []
    const store = await openSchemaStore(disk, async name => {
      asked.push(name)
      return fields
    })
    await learn(store, 'One', { a: 1 })
    fields = [{ id: 1, name: 'b', type: 'string' }]
    await learn(store, 'One', { c: 1 })
    await store.save()
    expect(asked).toEqual(['One', 'One'])
    expect(await columnsOf(disk)).toEqual({ One: ['a', 'b'] })
  })
})

describe('limits', () => {
  test(`more than ${maxSchemas} types: those beyond have no columns of their own`, async () => {
    const store = await openSchemaStore(disk, nobody)
    for (let i = 0; i < maxSchemas; i++) await store.prepare(`Type${i}`)
    await learn(store, 'OneMore', { a: 1 })
    await learn(store, 'Type1', { a: 1 })
    expect([...(store.get('OneMore')?.columns.struct.keys() ?? [])]).toEqual([
      'eventName',
      'eventDate',
      'eventGranularity',
    ])
    expect([...(store.get('Type1')?.columns.struct.keys() ?? [])]).toContain('a')
    await store.save()
    expect((await readSchemas(disk)).schemas).toHaveLength(maxSchemas)
  })

  test('100 000 columns of all types together', async () => {
    const store = await openSchemaStore(disk, nobody)
    const row = Object.fromEntries(Array.from({ length: 490 }, (_, i) => [`c${i}`, i]))
    for (let i = 0; i < 203; i++) await learn(store, `Type${i}`, row)
    await learn(store, 'Late', { a: 1 })
    expect([...(store.get('Late')?.columns.struct.keys() ?? [])]).not.toContain('a')
    await learn(store, 'Type0', { more: 1 })
    expect([...(store.get('Type0')?.columns.struct.keys() ?? [])]).not.toContain('more')
    await store.save()
    expect(store.get('Late')).toBeUndefined()
  })

  test('a type for which there was no room has some once another one is forgotten', async () => {
    const fields = Array.from({ length: 500 }, (_, id): RegisteredField => ({ id, name: `f${id}`, type: 'string' }))
    const store = await openSchemaStore(disk, async name => (name.startsWith('Wide') ? fields : undefined))
    for (let i = 0; i < 200; i++) await store.prepare(`Wide${i}`)
    await learn(store, 'New', { n: 1 })
    await store.forget('Wide0')
    await learn(store, 'New', { n: 1 })
    expect(await columnsOf(disk)).not.toHaveProperty('New')
    await store.save()
    expect(await columnsOf(disk)).toMatchObject({ New: ['n'] })
  })
})

test('news: what is new, and what did not fit, told once', async () => {
  const store = await openSchemaStore(disk, nobody)
  await learn(store, 'One', { a: 1 })
  expect(store.takeNews()).toMatchObject([{ eventName: 'One', misfits: [] }])
  expect(store.takeNews()).toEqual([])
  store.get('One')?.noteMisfit('a')
  store.get('One')?.noteMisfit('a')
  expect(store.takeNews()).toMatchObject([{ eventName: 'One', misfits: [['a', 2]] }])
  expect(store.takeNews()).toEqual([])
})
