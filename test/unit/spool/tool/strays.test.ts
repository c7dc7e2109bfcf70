import { expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { listStrays, removeStray } from '../../../../src/spool/tool/strays.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const own = 'a'.repeat(32)
const other = 'b'.repeat(32)
const oldest = 'c'.repeat(32)

async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(count)
}

const createTree = async () => {
  const clock = { ms: 1_000 }
  const fileSystem = createMemoryFileSystem({ now: () => clock.ms })
  await fileSystem.create(`/events/_tmp/${oldest}/x.smile.1`, bytes(5))
  clock.ms = 2_000
  await fileSystem.create(`/events/_tmp/${own}/mine.smile.1`, bytes(7))
  await fileSystem.create(`/events/_tmp/${other}/x.smile.1`, bytes(10))
  await fileSystem.create(`/events/_tmp/${other}/y.smile.1`, bytes(30))
  await fileSystem.create('/events/_tmp/_attempt_1/part-0', bytes(1))
  await fileSystem.create('/events/_tmp/file', bytes(1))
  return { fileSystem, outputDirectory: '/events', ownId: own }
}

test('strays are the temporary directories of other collectors, with age, files and bytes', async () => {
  expect(await listStrays(await createTree())).toEqual([
    { id: oldest, path: `/events/_tmp/${oldest}`, files: 1, bytes: 5, changed: 1_000 },
    { id: other, path: `/events/_tmp/${other}`, files: 2, bytes: 40, changed: 2_000 },
  ])
  expect(await listStrays({ ...(await createTree()), outputDirectory: '/never' })).toEqual([])
})

test('one is removed by its id; nothing else, and never the own one', async () => {
  const tree = await createTree()
  await removeStray(tree, other)
  expect((await listStrays(tree)).map(({ id }) => id)).toEqual([oldest])
  await expect(removeStray(tree, own)).rejects.toThrow('clears its directory itself')
  await expect(removeStray(tree, '_attempt_1')).rejects.toThrow('expected the id of a collector')
  await expect(removeStray(tree, '..')).rejects.toThrow('expected the id of a collector')
  await expect(removeStray(tree, other)).rejects.toMatchObject({ code: 'not-found' })
  expect(await tree.fileSystem.getFileStatus(`/events/_tmp/${own}/mine.smile.1`)).toMatchObject({ length: 7 })
  expect(await tree.fileSystem.getFileStatus('/events/_tmp/_attempt_1/part-0')).toMatchObject({ length: 1 })
})

test.each([
  ['missing', undefined],
  ['damaged', 'not an id'],
])(
  'a spool whose id is %s goes on under a new one, says so, and its old directory is among the strays',
  async (_, text) => {
    const warnings: [object, string][] = []
    const log = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (fields: object, message: string) => void warnings.push([fields, message]),
    }
    let isBroken = true
    const fileSystem = createMemoryFileSystem({
      fail: operation =>
        isBroken && operation === 'rename' ? new FileSystemError('unavailable', '/', 'away') : undefined,
    })
    const disk = createTearingDisk()
    const first = await openTestSpool({ disk, fileSystem, log })
    const { collectorId: oldId } = first.spool.stats()
    expect(warnings).toEqual([])
    await first.spool.append(jsonBatch([{ n: 1 }]))
    await first.spool.processLeftBelowFiles()
    const next = disk.kill()
    if (text === undefined) await next.unlink('id')
    else next.overwrite('id', new TextEncoder().encode(text))
    warnings.length = 0
    const second = await openTestSpool({ disk: next, fileSystem, log })
    const { collectorId } = second.spool.stats()
    expect(collectorId).not.toBe(oldId)
    const said = warnings.filter(([, message]) => message.includes('sluice spool strays'))
    expect(said).toMatchObject([[{ collectorId }, expect.stringContaining('missing or damaged')]])
    const strays = await listStrays({ fileSystem, outputDirectory: '/events', ownId: collectorId })
    expect(strays).toMatchObject([{ id: oldId, files: 1 }])
    isBroken = false
  },
)
