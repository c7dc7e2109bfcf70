import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Logger } from '../../../../src/log/log.ts'
import { encodeHeader, headerFrame, UnknownFormat } from '../../../../src/spool/framing/format-header.ts'
import { toFrame } from '../../../../src/spool/framing/framing.ts'
import { openSpool } from '../../../../src/spool/open-spool.ts'
import { readRows } from '../../../../src/spool/parquet/read-rows.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import type { Spool } from '../../../../src/spool/spool.ts'
import { verifySpool } from '../../../../src/spool/tool/verify.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import {
  jsonBatch,
  openTestSpool,
  readFiles,
  silent,
  startMs,
  type TestSpool,
  testSettings,
} from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from '../../../suites/tearing-disk.ts'

type Fault = NonNullable<TearingDiskOptions['fail']>

let fault: Fault | undefined
let disk: TearingDisk
let fileSystem: ReturnType<typeof createMemoryFileSystem>
let lines: { readonly level: string; readonly fields: object; readonly message: string }[]
beforeEach(() => {
  fault = undefined
  disk = createTearingDisk({ fail: (operation, path) => fault?.(operation, path) })
  fileSystem = createMemoryFileSystem()
  lines = []
})

const log: Logger = {
  ...silent,
  warn: (fields, message) => void lines.push({ level: 'warn', fields, message }),
  error: (fields, message) => void lines.push({ level: 'error', fields, message }),
}

const open = (settings: { readonly outputFormat?: 'jsonl' } = {}): Promise<TestSpool> =>
  openTestSpool({ disk, fileSystem, log, settings: { outputFormat: 'parquet', ...settings } })

/** What a restart makes of it after a cut. */
const reopen = (settings?: { readonly outputFormat?: 'jsonl' }): Promise<TestSpool> => {
  disk = disk.powerCut(() => 0.99, { fail: (operation, path) => fault?.(operation, path) })
  return open(settings)
}

const seal = async (spool: Spool, ...payloads: Parameters<typeof jsonBatch>[0][]): Promise<void> => {
  for (const batch of payloads) await spool.append(jsonBatch(batch))
  await spool.processLeftBelowFiles()
}

/** The sender's own columns, and what they could not hold. */
const columnsOf = (spool: Spool, name = 'Hello'): Record<string, string | [string, number]> | undefined => {
  const columns = spool.schemas.describe(name)?.columns
  if (!columns) return undefined
  expect(columns.map(one => one.name).slice(0, 3)).toEqual(['eventName', 'eventDate', 'eventGranularity'])
  expect(columns.at(-1)).toEqual({ name: '_extra', type: 'JSON', misfits: 0 })
  return Object.fromEntries(
    columns.slice(3, -1).map(({ name: column, type, misfits }) => [column, misfits ? [type, misfits] : type]),
  )
}

const eio = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })

describe('the columns of event types, as the spool tells them', () => {
  test('are those of the files in the ledger, with what they could not hold', async () => {
    const { spool, clock } = await open()
    expect(spool.schemas.describe('Hello')).toBeUndefined()
    await seal(spool, [{ n: 1, s: 'x', o: { a: true }, l: [1.5] }])
    expect(columnsOf(spool)).toEqual({ n: 'DOUBLE', s: 'TEXT', o: 'STRUCT<a BOOLEAN>', l: 'LIST<DOUBLE>' })
    expect(spool.schemas.figures).toMatchObject({ types: 1, columns: 7, misfits: 0 })
    clock.ms += 60_000
    await seal(spool, [{ n: 'many' }, { n: true }, { n: 2, more: 1 }])
    await spool.append(jsonBatch([{ n: 1 }], { name: 'Other' }))
    await seal(spool, [{ n: 'more' }])
    expect(columnsOf(spool)).toEqual({
      n: ['DOUBLE', 3],
      s: 'TEXT',
      o: 'STRUCT<a BOOLEAN>',
      l: 'LIST<DOUBLE>',
      more: 'DOUBLE',
    })
    expect(spool.schemas.describe('Hello')).toMatchObject({ columnCount: 9, misfits: 3 })
    expect(spool.schemas.describe('Hello')?.columns[3]).toMatchObject({ name: 'n', lastMisfitAt: startMs + 60_000 })
    expect(spool.schemas.figures).toMatchObject({ types: 2, columns: 12, misfits: 3 })
    expect([...spool.schemas.misfits()]).toEqual([
      ['Hello', 3],
      ['Other', 0],
    ])
  })

  test('a line of the log says once what a column cannot hold', async () => {
    const { spool } = await open()
    await seal(spool, [{ n: 1, m: 1 }])
    for (const payload of [{ n: 'a' }, { n: 'b' }, { n: 1.5, m: 'c' }]) await seal(spool, [payload])
    const message = 'values do not fit their columns: they are written to _extra from now on'
    expect(lines).toEqual([
      { level: 'warn', fields: { eventName: 'Hello', columns: ['n DOUBLE'] }, message },
      { level: 'warn', fields: { eventName: 'Hello', columns: ['m DOUBLE'] }, message },
    ])
  })

  test('are there again after a power cut, also while no Parquet is written', async () => {
    const first = await open()
    await seal(first.spool, [{ n: 1 }], [{ s: 'x' }])
    await seal(first.spool, [{ n: 'many' }])
    const second = await reopen({ outputFormat: 'jsonl' })
    expect(columnsOf(second.spool)).toEqual({ n: 'DOUBLE', s: 'TEXT' })
    const third = await reopen()
    await seal(third.spool, [{ n: 'many', more: 1 }])
    expect(columnsOf(third.spool)).toEqual({ n: ['DOUBLE', 1], s: 'TEXT', more: 'DOUBLE' })
  })

  test('are reported once the ledger has the files that have them', async () => {
    const { spool, clock, beat } = await open()
    await seal(spool, [{ n: 1 }])
    await spool.append(jsonBatch([{ n: 'many', more: 1 }]))
    // The entry of a segment, not that it was closed.
    fault = (_, path) =>
      path.startsWith('ledger') && disk.paths.some(name => /lists\/.*2\.list/.test(name)) ? eio() : undefined
    clock.ms += 60_000
    await beat()
    expect(lines.map(({ message }) => message)).toContain('sealing failed and is retried')
    expect(columnsOf(spool)).toEqual({ n: 'DOUBLE' })
    fault = undefined
    clock.ms += 60_000
    await beat()
    expect(columnsOf(spool)).toEqual({ n: ['DOUBLE', 1], more: 'DOUBLE' })
  })

  test('are also reported if an attempt that failed afterwards remembered them', async () => {
    const { spool, clock, beat } = await open()
    await spool.append(jsonBatch([{ n: 1 }]))
    fault = (operation, path) => (operation === 'fsyncDir' && path === 'lists' ? eio() : undefined)
    clock.ms += 60_000
    await beat()
    expect(disk.paths).toContain('schemas')
    expect(spool.schemas.figures.types).toBe(0)
    fault = undefined
    clock.ms += 60_000
    await beat()
    expect(columnsOf(spool)).toEqual({ n: 'DOUBLE' })
  })

  test('of a damaged file, those in front of the damage stay', async () => {
    const { spool } = await open()
    await seal(spool, [{ n: 1 }])
    await spool.append(jsonBatch([{ n: 1 }], { name: 'Other' }))
    await seal(spool)
    const bytes = new Uint8Array(disk.contents('schemas'))
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    disk.overwrite('schemas', bytes)
    const again = await reopen()
    expect(columnsOf(again.spool)).toEqual({ n: 'DOUBLE' })
    expect(again.spool.schemas.describe('Other')).toBeUndefined()
    const byte = Buffer.from(bytes).lastIndexOf('{"eventName":"Other"') - 9
    expect(lines).toMatchObject([{ level: 'error', fields: { file: 'schemas', byte, types: 1 } }])
    const { findings } = await verifySpool(disk, { isHeld: true })
    expect(findings).toMatchObject([{ level: 'problem', file: 'schemas' }])
    expect(findings[0]?.detail).toContain(`byte ${byte}`)
  })

  test('a file that cannot be read does not prevent a start; events wait for it', async () => {
    const { spool } = await open()
    await seal(spool, [{ n: 1 }])
    fault = (operation, path) => (operation === 'read' && path === 'schemas' ? eio() : undefined)
    const again = await reopen()
    expect(lines).toMatchObject([{ level: 'error', fields: { file: 'schemas' } }])
    await again.spool.append(jsonBatch([{ n: 'many' }]))
    await again.spool.processLeftBelowFiles()
    expect(again.spool.stats()).toMatchObject({ openEvents: 1, pendingFiles: 0 })
    fault = undefined
    again.clock.ms += 60_000
    await again.beat()
    expect(columnsOf(again.spool)).toEqual({ n: ['DOUBLE', 1] })
  })

  test.each([
    ['of a newer version', toFrame(headerFrame, Buffer.from(JSON.stringify({ format: 'schemas', version: 99 })))],
    // Farther from its beginning than is looked at first.
    [
      'with a frame of tomorrow',
      Buffer.concat([
        encodeHeader('schemas'),
        toFrame(
          1,
          Buffer.from(
            `{"eventName":"A","columns":{"struct":[["eventName","text"],["eventDate","timestamp"],["eventGranularity","text"]]},"x":"${'x'.repeat(200_000)}"}`,
          ),
        ),
        toFrame(9, Buffer.from('x')),
      ]),
    ],
  ])('a file %s: the start is refused, and nothing changes', async (_, bytes) => {
    const { spool } = await open()
    await seal(spool, [{ n: 1 }])
    await spool.append(jsonBatch([{ n: 1 }]))
    disk.overwrite('schemas', bytes)
    // A start would make it again.
    await disk.unlink('format')
    disk = disk.kill()
    const before = new Map(disk.paths.map(path => [path, disk.contents(path)]))
    await expect(open()).rejects.toThrow(UnknownFormat)
    await expect(open({ outputFormat: 'jsonl' })).rejects.toThrow(/schemas has format version/)
    expect(new Map(disk.paths.map(path => [path, disk.contents(path)]))).toEqual(before)
  })
})

describe('forgetSchema', () => {
  const rowsOf = async (): Promise<unknown[]> => {
    const files = [...(await readFiles(fileSystem))].sort(([a], [b]) => (a < b ? -1 : 1))
    const rows = await Promise.all(files.map(([, bytes]) => Array.fromAsync(readRows(bytes))))
    return rows.flat().map(({ payload: { n } }) => n)
  }

  test('the next file learns the type again, after a restart as well', async () => {
    const { spool } = await open()
    await seal(spool, [{ n: 1 }])
    await seal(spool, [{ n: 'many' }])
    await spool.append(jsonBatch([{ n: 1 }], { name: 'Other' }))
    await seal(spool)
    expect(await spool.forgetSchema('Hello')).toBe(true)
    expect(spool.schemas.describe('Hello')).toBeUndefined()
    expect(spool.schemas.figures).toMatchObject({ types: 1, columns: 4, misfits: 0 })
    expect(await spool.forgetSchema('Hello')).toBe(false)
    const again = await reopen()
    expect(again.spool.schemas.describe('Hello')).toBeUndefined()
    await seal(again.spool, [{ n: 'many' }])
    expect(columnsOf(again.spool)).toEqual({ n: 'TEXT' })
    expect(columnsOf(again.spool, 'Other')).toEqual({ n: 'DOUBLE' })
    expect(await rowsOf()).toContain('many')
    const third = await reopen()
    await third.spool.forgetSchema('Hello')
    await third.spool.append(jsonBatch([{ n: 1 }], { name: 'Third' }))
    await seal(third.spool)
    expect(Array.from(third.spool.schemas.misfits(), ([name]) => name)).toEqual(['Other', 'Third'])
  })

  test('in the same run, what was learned is not there any more', async () => {
    const { spool } = await open()
    await seal(spool, [{ n: 1 }])
    await spool.forgetSchema('Hello')
    await seal(spool, [{ n: 'many' }])
    expect(columnsOf(spool)).toEqual({ n: 'TEXT' })
  })

  test('a segment that is sealed and waits for the ledger brings nothing of it back', async () => {
    const { spool, clock, beat } = await open()
    await spool.append(jsonBatch([{ n: 1 }]))
    fault = (_, path) =>
      path.startsWith('ledger') && disk.paths.some(name => name.endsWith('.list')) ? eio() : undefined
    clock.ms += 60_000
    await beat()
    await spool.forgetSchema('Hello')
    fault = undefined
    clock.ms += 60_000
    await beat()
    expect(spool.stats()).toMatchObject({ openEvents: 0 })
    expect(spool.schemas.describe('Hello')).toBeUndefined()
  })

  test('waits for the segment that is being sealed, and for its entry in the ledger', async () => {
    const sealing = createSealing(disk)
    const steps: string[] = []
    let forgotten: Promise<boolean> | undefined
    const { spool } = await openTestSpool({
      disk,
      fileSystem,
      settings: { outputFormat: 'parquet' },
      sealing: {
        atOnce: 1,
        seal: async request => {
          forgotten ??= spool.forgetSchema('Hello')
          const result = await sealing.seal(request)
          steps.push('sealed')
          return result
        },
        forget: async eventName => {
          steps.push(`forgets, knows ${spool.schemas.figures.types}`)
          await sealing.forget(eventName)
        },
      },
    })
    await seal(spool, [{ n: 2 }])
    expect(await forgotten).toBe(true)
    expect(steps).toEqual(['sealed', 'forgets, knows 1'])
    expect(spool.schemas.describe('Hello')).toBeUndefined()
  })

  test('the thread that seals has the same', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-forget-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const spool = await openSpool(directory, {
      fileSystem,
      log,
      settings: () => ({ ...testSettings, outputFormat: 'parquet' }),
      heartbeat: () => () => {},
    })
    onTestFinished(() => spool.close())
    await seal(spool, [{ n: 1 }])
    expect(await spool.forgetSchema('Hello')).toBe(true)
    await seal(spool, [{ n: 'many' }])
    expect(columnsOf(spool)).toEqual({ n: 'TEXT' })
  })

  test('where the disk refuses, the type stays as it is', async () => {
    const { spool } = await open()
    await seal(spool, [{ n: 1 }])
    fault = (operation, path) => (operation === 'rename' && path.startsWith('schemas') ? eio() : undefined)
    await expect(spool.forgetSchema('Hello')).rejects.toThrow('EIO')
    fault = undefined
    await seal(spool, [{ n: 'many' }])
    expect(columnsOf(spool)).toEqual({ n: ['DOUBLE', 1] })
  })

  test('a spool that is closing refuses', async () => {
    const { spool } = await open()
    await spool.close()
    await expect(spool.forgetSchema('Hello')).rejects.toMatchObject({ code: 'draining' })
  })
})
