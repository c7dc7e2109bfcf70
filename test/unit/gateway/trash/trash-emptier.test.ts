import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createMountTable } from '../../../../src/filesystem/mounts.ts'
import { createTrashEmptier } from '../../../../src/gateway/trash/trash-emptier.ts'
import { flat, fromVerbs } from '../../../suites/flat-filesystem.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 4, 3, 23, 30)

const setUp = (change: Partial<ReturnType<typeof createMemoryFileSystem>> = {}) => {
  const [root, far] = [createMemoryFileSystem(), createMemoryFileSystem()]
  const fileSystem = flat(createMountTable(fromVerbs({ ...root, ...change }), [{ path: '/far', fileSystem: far }]))
  const clock = { ms: start }
  const warnings: unknown[] = []
  const logger = { warn: (fields: unknown) => void warnings.push(fields) }
  const createEmptier = () => createTrashEmptier({ fileSystem, logger, intervalMs: hour, now: () => clock.ms })
  const emptier = createEmptier()
  const put = (path: string) => fileSystem.create(path, new Blob(['x']).stream())
  const list = async (path: string) =>
    (await listAll(fileSystem, path).catch(() => [])).map(({ path: at }) => at.slice(path.length + 1))
  return { fileSystem, clock, warnings, emptier, createEmptier, put, list, root }
}

const trash = '/user/ann/.Trash'

describe('a round of the emptier', () => {
  test('makes a checkpoint, and deletes it when the interval is over', async () => {
    const { emptier, clock, put, list } = setUp()
    await put(`${trash}/Current/d/a`)
    await put('/far/user/bob/.Trash/Current/b')
    await emptier.empty()
    expect([await list(trash), await list('/far/user/bob/.Trash')]).toEqual([['260503233000'], ['260503233000']])
    clock.ms += hour - 1
    await put(`${trash}/Current/late`)
    await emptier.empty()
    expect(await list(trash)).toEqual(['260503233000', 'Current'])
    clock.ms += 1
    await emptier.empty()
    expect([await list(trash), await list('/far/user/bob/.Trash')]).toEqual([['260504003000'], []])
    clock.ms += hour
    await emptier.empty()
    expect(await list(trash)).toEqual([])
  })

  test('leaves alone everything but checkpoints and trash', async () => {
    const { emptier, put, list } = setUp()
    const kept = ['20260101', '269901120000', 'notes', 'x260101120000']
    for (const name of [...kept, '2601011200', '260101120000-3', '260101120001']) await put(`${trash}/${name}/f`)
    await put('/user/file')
    await put('/user/bob/260101120000/f')
    await put('/other/ann/.Trash/260101120000/f')
    await emptier.empty()
    expect(await list(trash)).toEqual(kept)
    expect([await list('/user/bob'), await list('/other/ann/.Trash')]).toEqual([['260101120000'], ['260101120000']])
  })

  test('leaves it to a cluster that does it itself', async () => {
    const { root } = setUp()
    const { emptier, put, list } = setUp({
      getServerDefaults: async path => ({ ...(await root.getServerDefaults(path)), trashInterval: 60 }),
    })
    await put(`${trash}/Current/a`)
    await emptier.empty()
    expect(await list(trash)).toEqual(['Current'])
  })

  test('of two servers does once what is to be done', async () => {
    const { emptier, createEmptier, put, list, warnings, clock } = setUp()
    const other = createEmptier()
    await put(`${trash}/Current/a`)
    await Promise.all([emptier.empty(), other.empty()])
    expect([await list(trash), warnings]).toEqual([['260503233000'], []])
    clock.ms += hour
    await Promise.all([emptier.empty(), other.empty()])
    expect([await list(trash), warnings]).toEqual([[], []])
    other.close()
  })

  test('continues with the others where one home fails, and logs that once until it works again', async () => {
    const world = setUp()
    const broken = { now: true }
    const { emptier, put, list, warnings } = setUp({
      ...world.root,
      rename: async (source, target, options) => {
        if (broken.now && source.startsWith('/user/ann/')) throw new FileSystemError('denied', source, 'not yours')
        await world.root.rename(source, target, options)
      },
    })
    const fill = () => Promise.all([put(`${trash}/Current/a`), put('/user/bob/.Trash/Current/b')])
    await fill()
    await emptier.empty()
    await emptier.empty()
    expect(await list('/user/bob/.Trash')).toEqual(['260503233000'])
    expect(warnings).toEqual([{ err: expect.objectContaining({ message: 'not yours' }), path: '/user' }])
    broken.now = false
    await emptier.empty()
    broken.now = true
    await world.root.delete('/user/ann', { recursive: true })
    await fill()
    await emptier.empty()
    expect(warnings).toHaveLength(2)
  })

  test('ends with its close', async () => {
    const { emptier, put, list } = setUp()
    await put(`${trash}/Current/a`)
    emptier.close()
    await emptier.empty()
    expect(await list(trash)).toEqual(['Current'])
  })
})
