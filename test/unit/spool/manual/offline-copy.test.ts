import { describe, expect, test } from 'vitest'
import { directoriesOf } from '../../../../src/filesystem/facets.ts'
import { LogTakenOver, openOfflineCopy } from '../../../../src/spool/manual/offline-copy.ts'
import { writeCopyNote } from '../../../../src/spool/replica/copy-note.ts'
import type { Replica } from '../../../../src/spool/replica/replica.ts'
import { CopyAway, takeSpool } from '../../../../src/spool/tool/offline.ts'
import { createMemoryHdfs, type MemoryHdfs } from '../../../suites/memory-hdfs.ts'
import { jsonBatch, silent } from '../../../suites/spool.ts'
import type { TearingDisk } from '../../../suites/tearing-disk.ts'
import { openReplicated, replicatedSettings } from '../takeover/lost-collector.ts'

const taker = 'f'.repeat(32)

/** A spool that was killed, with a request in its log, and its copy. */
const createKilled = async (hdfs = createMemoryHdfs()) => {
  const { spool, id, disk } = await openReplicated(hdfs)
  await spool.append(jsonBatch([{ n: 1 }]))
  return { hdfs, id, disk: disk.kill(), directory: `/events/_log/${id}` }
}

const openCopy = (hdfs: MemoryHdfs, disk: TearingDisk, url = hdfs.url): Promise<Replica | undefined> => {
  const places = { fileSystem: hdfs, urlOf: () => url, mountPoints: ['/'] }
  return openOfflineCopy(disk, { places, settings: replicatedSettings, log: silent })
}

/** The copy as the tools open it. */
const copyOf = async (hdfs: MemoryHdfs, disk: TearingDisk): Promise<Replica> => {
  const copy = await openCopy(hdfs, disk)
  if (!copy) throw new Error('there is no copy')
  return copy
}

const ledgerIn = async (hdfs: MemoryHdfs, directory: string): Promise<string> =>
  Buffer.from((await hdfs.contents(`${directory}/ledger`)) ?? '').toString()

describe('the copy of a spool that a tool changes', () => {
  test('is none of a spool without one', async () => {
    const { hdfs, disk } = await createKilled()
    await disk.unlink('replicated')
    expect(await openCopy(hdfs, disk)).toBeUndefined()
  })

  test('is brought in step, and hears what is decided', async () => {
    const { hdfs, disk, directory } = await createKilled()
    const spool = await takeSpool(disk, await copyOf(hdfs, disk))
    await spool.ledger.append({ type: 'drained', drained: true })
    expect(await ledgerIn(hdfs, directory)).toContain('"drained"')
    expect(Buffer.from((await spool.readCopy(1)) ?? '').includes('"n":1')).toBe(true)
    expect(await spool.readCopy(2)).toBeUndefined()
    await spool.close()
  })

  test('is that of the log that was taken over, where the spool is one that this machine goes on with', async () => {
    const { hdfs, id, disk, directory } = await createKilled()
    const taken = `${directory}.${taker}`
    await directoriesOf(hdfs).rename(directory, taken)
    await writeCopyNote(disk, { directory: taken })
    const spool = await takeSpool(disk, await copyOf(hdfs, disk))
    await spool.ledger.append({ type: 'drained', drained: true })
    expect(await ledgerIn(hdfs, taken)).toContain('"drained"')
    expect(spool.collectorId).toBe(id)
    await spool.close()
  })

  test('leads to nothing where another collector has taken the log: the spool is set aside', async () => {
    const { hdfs, id, disk, directory } = await createKilled()
    await directoriesOf(hdfs).rename(directory, `${directory}.${taker}`)
    await expect(openCopy(hdfs, disk)).rejects.toThrow(LogTakenOver)
    expect(disk.paths.filter(path => path.startsWith('log/') || path === 'id')).toEqual([])
    expect(disk.paths).toContain(`fenced/${id}/id`)
  })

  test('is none any more where it was being withdrawn', async () => {
    const { hdfs, disk, directory } = await createKilled()
    await writeCopyNote(disk, { directory, withdrawnTo: `${directory}.withdrawn-1` })
    expect(await openCopy(hdfs, disk)).toBeUndefined()
    expect(await ledgerIn(hdfs, directory)).toBe('')
    expect(disk.paths).toContain('id')
  })

  test('is not looked for on another cluster: nothing is changed', async () => {
    const { hdfs, disk } = await createKilled()
    const before = disk.paths
    await expect(openCopy(hdfs, disk, 'hdfs://other')).rejects.toThrow(
      /no setting names that cluster: nothing was changed/,
    )
    expect(disk.paths).toEqual(before)
  })

  test('keeps the tool from the spool while HDFS is away, and lets go of it', async () => {
    let isAway = false
    const { hdfs, disk } = await createKilled(createMemoryHdfs({ fail: () => (isAway ? 'before' : undefined) }))
    const copy = await copyOf(hdfs, disk)
    const calls: string[] = []
    const watched: Replica = {
      ...copy,
      replicate: local => {
        const replicated = copy.replicate(local)
        return { ...replicated, close: async () => void calls.push('closed') }
      },
      stop: () => void calls.push('stopped'),
      get isInStep() {
        return copy.isInStep
      },
      get refusal() {
        return copy.refusal
      },
    }
    isAway = true
    await expect(takeSpool(disk, watched)).rejects.toThrow(CopyAway)
    expect(calls).toEqual(['stopped', 'closed'])
    isAway = false
    const next = disk.kill()
    const spool = await takeSpool(next, await copyOf(hdfs, next))
    await spool.close()
  })

  test('is given the time of a second attempt where the first one failed', async () => {
    let failures = 0
    const { hdfs, disk } = await createKilled(
      createMemoryHdfs({ fail: operation => (operation === 'create' && failures-- > 0 ? 'before' : undefined) }),
    )
    const copy = await copyOf(hdfs, disk)
    failures = 1
    const spool = await takeSpool(disk, copy)
    expect(copy.isInStep).toBe(true)
    await spool.close()
  })
})
