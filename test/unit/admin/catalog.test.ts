import { describe, expect, test } from 'vitest'
import { schemasBean } from '../../../admin/catalog/schemas.ts'
import { spoolBean } from '../../../admin/catalog/spool.ts'
import { createSpool } from '../../../src/spool/create-spool.ts'
import { createSealing } from '../../../src/spool/seal/sealing.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { silent, testSettings } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

describe('spoolBean', () => {
  test('shows every figure of the spool, except the lists', async () => {
    const disk = createTearingDisk()
    const spool = await createSpool({
      disk,
      fileSystem: createMemoryFileSystem(),
      settings: () => testSettings,
      log: silent,
      sealing: createSealing(disk),
      heartbeat: () => () => {},
    })
    const stats = spool.stats()
    const { fsyncMs: _ring, fsyncCounts: _counts, localFiles: _files, lostSegments: _lost, ...others } = stats
    const { waitingByType: _types, replica: _beanOfItsOwn, ...figures } = others
    const shown = Object.entries(spoolBean('v', () => spool.stats()).attributes).map(([name, one]) => [
      `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
      one.read(),
    ])
    expect(Object.fromEntries(shown)).toEqual(figures)
    await spool.close()
  })
})

describe('schemasBean', () => {
  const toName = (i: number) => `Type${String(i).padStart(4, '0')}`
  const bean = schemasBean('v', {
    figures: { types: 2_001, columns: 0, misfits: 0 },
    misfits: () => Array.from({ length: 2_001 }, (_, i) => [toName(2_000 - i), i] as const),
    describe: () => undefined,
    forget: async () => false,
  })

  test('names all types, page by page', () => {
    const found: string[] = []
    let pages = 0
    for (let after: string | undefined = ''; after !== undefined; pages++) {
      const page = bean.operations['eventTypes']?.invoke(after) as { eventTypes: string[]; next?: string }
      found.push(...page.eventTypes)
      after = page.next
    }
    expect(found).toEqual(Array.from({ length: 2_001 }, (_, i) => toName(i)))
    expect(pages).toBe(3)
  })

  test('shows the hundred types with the most misfits', () => {
    expect(bean.attributes['MostMisfits']?.read()).toEqual(
      Array.from({ length: 100 }, (_, i) => ({ eventType: toName(i), misfits: 2_000 - i })),
    )
  })
})
