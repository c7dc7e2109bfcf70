/** Uploads and open files on a real HDFS whose DataNodes are killed under them. */
import { createHash } from 'node:crypto'
import { glob } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { appendsOf } from '../../src/filesystem/facets.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { isLostLease } from '../../src/filesystem/hdfs/files/leases.ts'
import { ExactSocket } from '../../src/filesystem/hdfs/socket/exact-socket.ts'
import { flat } from '../suites/flat-filesystem.ts'
import { describeUnless } from '../suites/kerberos.ts'

const blockSize = 1_048_576
const bytes = Buffer.from(Uint8Array.from({ length: 3 * blockSize + 1_000 }, (_, at) => (at * 31) % 251))
const digest = (some: Uint8Array): string => createHash('md5').update(some).digest('hex')

describeUnless(await missingForHdfs(), 'HDFS by its own protocol while DataNodes are killed', () => {
  let hdfs: Cluster
  let native: FileSystem
  let webHdfs: FileSystem
  beforeAll(async () => {
    hdfs = await startCluster({
      dataNodes: 4,
      maxHeapMb: 160,
      startTimeoutMs: 180_000,
      // The node that is left would be too busy: its load is compared with the mean, to which dead nodes belong for minutes.
      properties: { 'dfs.namenode.redundancy.considerLoad': 'false' },
    })
    const open = (protocol: 'native' | 'webhdfs') =>
      createFileSystem({ url: hdfs.namenodeUrl, webhdfs: [hdfs.webhdfsUrl], protocol })
    ;[native, webHdfs] = await Promise.all([open('native'), open('webhdfs')])
  }, 240_000)
  afterAll(async () => {
    await native.close()
    await webHdfs.close()
    await hdfs.stop()
  })

  /** The nodes that a block is written to now, by their numbers. */
  const pipelineNow = async (): Promise<readonly number[]> => {
    const lists = hdfs.dataNodes.map(({ data }) => Array.fromAsync(glob(`${data}/current/BP-*/current/rbw/blk_*`)))
    return (await Promise.all(lists)).flatMap((found, at) => (found.length > 0 ? [at] : []))
  }
  const read = async (path: string, by: FileSystem): Promise<string> =>
    digest(Buffer.concat(await Array.fromAsync(await by.open(path))))
  const restart = async (killed: readonly number[]): Promise<void> => {
    for (const one of killed) await hdfs.startDataNode(one)
  }

  test('a file that one node alone could have is refused where two are asked for, and leaves nothing', async () => {
    const killed = [1, 2, 3]
    for (const one of killed) await hdfs.stopDataNode(one)
    const create = async (path: string, minReplication: number) =>
      await flat(native).create(path, Readable.from([bytes.subarray(0, 1_000)]), { replication: 3, minReplication })
    await expect(create('/alone', 2)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(native.getFileStatus('/alone')).rejects.toMatchObject({ code: 'not-found' })
    await create('/alone', 1)
    await restart(killed)
    await create('/beside', 2)
  })

  test.for([
    [0, 1.5],
    [1, 1.5],
    [2, 1.5],
    [1, 2.999],
    [0, 0.9],
  ] as const)(
    'an upload outlives a node of its pipeline (%d of three), killed after %d blocks',
    async ([position, after]) => {
      const path = `/upload-${position}-${after}-${Date.now()}`
      const killed: number[] = []
      const source = async function* () {
        const cut = Math.floor(after * blockSize)
        for (let at = 0; at < bytes.length; ) {
          const end = Math.min(at + 50_000, at < cut ? cut : bytes.length, bytes.length)
          yield bytes.subarray(at, end)
          at = end
          if (at !== cut) continue
          // The packets before are on their way, or there.
          await wait(50)
          const node = (await pipelineNow())[position]
          if (node === undefined) throw new Error('no pipeline')
          killed.push(node)
          await hdfs.stopDataNode(node)
        }
      }
      await flat(native).create(path, source(), { blockSize, replication: 3 })
      expect(killed).toHaveLength(1)
      expect(await read(path, native)).toBe(digest(bytes))
      expect(await read(path, webHdfs)).toBe(digest(bytes))
      await restart(killed)
    },
  )

  test('a connection may be cut behind any packet of a block, its last one too', async () => {
    const write: unknown = Object.getOwnPropertyDescriptor(ExactSocket.prototype, 'write')?.value
    if (typeof write !== 'function') throw new TypeError('a socket is not written to')
    const ports = new Set(hdfs.dataNodes.map(({ transferPort }) => transferPort))
    let left = 0
    const spy = vi.spyOn(ExactSocket.prototype, 'write').mockImplementation(function (this: ExactSocket, ...given) {
      Reflect.apply(write, this, given)
      // Whether the node still gets it is left to chance.
      if (ports.has(this.address.port) && --left === 0) setImmediate(() => this.destroy(new Error('cut')))
    })
    onTestFinished(() => spy.mockRestore())
    const block = bytes.subarray(0, blockSize)
    const source = async function* () {
      for (let at = 0; at < blockSize; at += 65_536) {
        yield block.subarray(at, at + 65_536)
        await wait(1)
      }
    }
    let cuts = 0
    do {
      cuts++
      const path = `/cut-${cuts}-${Date.now()}`
      left = cuts
      await flat(native).create(path, source(), { blockSize, replication: 3 })
      expect(await read(path, webHdfs), String(cuts)).toBe(digest(block))
    } while (left < 0)
    // What begins the pipeline, packets, and the end of the block.
    expect(cuts).toBeGreaterThan(4)
  })

  test('an open file keeps what was synced while two of its three nodes are killed, and others of four take their place', async () => {
    const path = `/open-${Date.now()}`
    const file = await appendsOf(native).create(path, { replication: 3, blockSize })
    const killed: number[] = []
    onTestFinished(() => restart(killed))
    const copies: number[] = []
    for (let end = 1_000; end <= 20_000; end += 1_000) {
      await file.write(bytes.subarray(end - 1_000, end))
      await (end % 2_000 === 0 ? file.hsync() : file.hflush())
      copies.push(file.copies)
      expect(await appendsOf(native).visibleLength(path)).toBe(end)
      if (end !== 5_000 && end !== 12_000) continue
      const [first, second] = await pipelineNow()
      const node = end === 5_000 ? second : first
      if (node === undefined) throw new Error('no pipeline')
      killed.push(node)
      await hdfs.stopDataNode(node)
    }
    expect(await read(path, native)).toBe(digest(bytes.subarray(0, 20_000)))
    await file.close()
    expect(await read(path, webHdfs)).toBe(digest(bytes.subarray(0, 20_000)))
    // A killed node may take the answer of its neighbour with it, which is then left as well.
    const [before, between] = [copies.slice(0, 5), copies.slice(5, 12)]
    expect(new Set(before)).toEqual(new Set([3]))
    expect(between.at(-1)).toBeGreaterThanOrEqual(2)
    expect(Math.min(...copies)).toBeGreaterThanOrEqual(1)
  })

  test('a file whose lease was taken is lost to its writer, who learns why', async () => {
    const path = `/taken-${Date.now()}`
    const file = await appendsOf(native).create(path, { replication: 3, createParent: false })
    await file.write(bytes.subarray(0, 1_000))
    await file.hsync()
    await expect
      .poll(
        () =>
          appendsOf(webHdfs)
            .recoverLease(path)
            .catch(() => appendsOf(native).recoverLease(path)),
        { timeout: 30_000 },
      )
      .toBe(true)
    const go = async (): Promise<void> => {
      await file.write(bytes.subarray(0, 1_000))
      await file.hsync()
    }
    await expect(go()).rejects.toSatisfy(isLostLease)
    await file.abandon()
    expect(await read(path, webHdfs)).toBe(digest(bytes.subarray(0, 1_000)))
    await expect(appendsOf(native).create('/none/file', { createParent: false })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
