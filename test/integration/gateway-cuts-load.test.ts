import { readdirSync, readFileSync, truncateSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { seededRandom } from '../suites/crash-world.ts'
import { download, type TransferEnd, toBytes, upload } from '../suites/cut-transfers.ts'
import { isRequired, realParts } from '../suites/hdfs.ts'
import { createSluice, ownProtocol, type Sluice } from '../suites/sluice-process.ts'
import { readFiles } from '../suites/spool.ts'

const transfers = Number(process.env['SLUICE_TEST_TRANSFERS'] ?? 120)
const atOnce = 12
const maxBytes = 600_000
/** More than the buffers of sockets hold: a slow reader holds the rest back. */
const largeBytes = 32 * 2 ** 20
const largeCount = 4
const maxGrowthBytes = 256 * 2 ** 20
/** Connections to the file system that are kept for the next call. */
const keptDescriptors = 16
const patience = { timeout: 120_000, interval: 200 }
const timeout = 400_000
const directory = `/cuts-${process.pid}`

let sluice: Sluice | undefined
afterEach(async () => {
  await sluice?.close()
  sluice = undefined
})

/** Where there is no `/proc`, nothing is known. */
const footprint = (pid: number) => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    return { descriptors: readdirSync(`/proc/${pid}/fd`).length, bytes: Number(pages) * 4_096 }
  } catch {
    return { descriptors: 0, bytes: 0 }
  }
}

/** Runs jobs, a number of them at once. */
const runAll = async (jobs: readonly (() => Promise<void>)[]): Promise<void> => {
  const left = [...jobs]
  const work = async (): Promise<void> => {
    for (let job = left.shift(); job; job = left.shift()) await job()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

type Scene = {
  readonly settings: readonly string[]
  readonly fileSystem: (server: Sluice) => Promise<FileSystem>
  /** Cuts transfers from the file system; `mend` repairs the connection for later ones. */
  readonly cut: (server: Sluice, paths: readonly string[]) => Promise<void>
  readonly mend: () => Promise<void>
}

/**
 * Clients that leave in the middle of an upload and clients that stay, readers of whole files, and readers whose files
 * are cut behind the gateway, all at once; then what is visible, and what is left over.
 */
const cutUnderLoad = async ({ settings, fileSystem, cut, mend }: Scene): Promise<string> => {
  let pid = 0
  const onLine = (line: string): void => {
    pid = Number(/"pid":(\d+)/.exec(line)?.[1] ?? pid)
  }
  const server = await createSluice({ settings, onLine })
  sluice = server
  await server.start()
  const base = server.urls()?.['server'] ?? ''
  const random = seededRandom(14)
  const stored = new Map<string, Buffer>()
  const ends = new Map<string, number>()
  const count = (what: string, end: TransferEnd): TransferEnd => {
    ends.set(`${what} ${end}`, (ends.get(`${what} ${end}`) ?? 0) + 1)
    return end
  }
  const large = Array.from({ length: largeCount }, (_, i) => `${directory}/large-${i}`)
  for (const [i, path] of large.entries()) {
    const bytes = toBytes(i, largeBytes)
    expect(await upload(base, path, bytes)).toBe('whole')
    stored.set(path, bytes)
  }
  const small = `${directory}/small`
  const smallBytes = toBytes(99, 100_000)
  expect(await upload(base, small, smallBytes)).toBe('whole')
  stored.set(small, smallBytes)
  expect(await download(base, small, smallBytes)).toBe('whole')
  const before = footprint(pid)

  const jobs = Array.from({ length: transfers }, (_, i) => {
    const path = `${directory}/${i % 3}/file-${i}`
    const bytes = toBytes(1_000 + i, 1 + Math.floor(random() * maxBytes))
    const cutAt = random() < 0.6 ? Math.floor(random() * bytes.length) : undefined
    const isChunked = random() < 0.5
    return async (): Promise<void> => {
      const end = count('upload', await upload(base, path, bytes, { cutAt, isChunked }))
      if (cutAt !== undefined) expect(end).not.toBe('whole')
      if (end === 'whole') stored.set(path, bytes)
      if (i % 3 === 0) count('download', await download(base, small, smallBytes))
    }
  })
  // All readers have begun, and an upload is half done, when the cut happens; nothing continues before it is done.
  const begun = Array.from({ length: largeCount + 1 }, () => Promise.withResolvers<void>())
  const cutDone = Promise.withResolvers<void>()
  const hold = (index: number) => (): Promise<void> => {
    begun[index]?.resolve()
    return cutDone.promise
  }
  const readers = large.map((path, i) => download(base, path, toBytes(i, largeBytes), hold(i)))
  const half = upload(base, `${directory}/half`, toBytes(7, largeBytes), { atHalf: hold(largeCount) })
  const load = runAll(jobs)
  await Promise.all(begun.map(({ promise }) => promise))
  await cut(server, large)
  cutDone.resolve()
  for (const end of await Promise.all(readers)) count('reader', end)
  if (count('half', await half) === 'whole') stored.set(`${directory}/half`, toBytes(7, largeBytes))
  await load
  await mend()

  expect([...ends.keys()].filter(name => name.endsWith('short'))).toEqual([])
  expect(ends.get('reader aborted')).toBe(largeCount)
  const view = await fileSystem(server)
  // The readers' files may have been cut for good; of all others each is whole, or not there at all.
  const isLarge = (path: string): boolean => large.includes(path)
  const names = async () => [...(await readFiles(view, directory)).keys()].filter(path => !isLarge(path)).sort()
  await expect.poll(names, patience).toEqual([...stored.keys()].filter(path => !isLarge(path)).sort())
  for (const [path, bytes] of await readFiles(view, directory)) {
    if (!isLarge(path)) expect(Buffer.from(bytes).equals(stored.get(path) ?? Buffer.alloc(0)), path).toBe(true)
  }
  await expect
    .poll(() => footprint(pid).descriptors, patience)
    .toBeLessThanOrEqual(before.descriptors + keptDescriptors)
  const grown = footprint(pid).bytes - before.bytes
  expect(grown).toBeLessThan(maxGrowthBytes)
  expect(await download(base, small, smallBytes)).toBe('whole')
  await view.close()
  const figures = [...ends].map(([what, times]) => `${what} ${times}`).join(', ')
  return `${figures}; ${Math.round(grown / 1e6)} MB and ${footprint(pid).descriptors - before.descriptors} descriptors more than before`
}

test('R14: transfers cut by the hundred, local file system: no partial file, nothing left over, no short answer', {
  timeout,
}, async () => {
  const done = await cutUnderLoad({
    settings: [],
    fileSystem: ({ directory }) => createLocalFileSystem({ root: `${directory}/fs` }),
    // After what the readers' buffers hold, and before the end.
    cut: async (server, paths) => {
      for (const path of paths) truncateSync(`${server.directory}/fs${path}`, largeBytes - 4_096)
    },
    mend: async () => {},
  })
  console.log(`cut transfers, local file system: ${done}`)
})

// A cluster of its own: the shared one must not be stopped.
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()

describe.skipIf(missing !== undefined && !isRequired('hdfs'))(
  `with HDFS${missing ? `: ${missing}` : ''}`,
  realParts,
  () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startCluster({ startTimeoutMs: 180_000 })
    })
    afterAll(async () => {
      await cluster?.stop()
    })

    test('R14: transfers cut by the hundred, a data node that goes: no partial file, nothing left over, no short answer', {
      timeout,
    }, async () => {
      const { namenodeUrl, webhdfsUrl } = cluster
      const done = await cutUnderLoad({
        settings: [`namenode.url=${namenodeUrl}`, `namenode.webhdfs.url=${webhdfsUrl}`],
        fileSystem: async () => createWebHdfsFileSystem({ urls: [webhdfsUrl] }),
        cut: () => cluster.stopDataNode(),
        mend: () => cluster.startDataNode(),
      })
      expect(sluice?.ways[0]).toBe(ownProtocol)
      console.log(`cut transfers, HDFS: ${done}`)
    })
  },
)
