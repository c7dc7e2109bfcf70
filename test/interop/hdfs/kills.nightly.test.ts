/** `kill -9` of data nodes, of the name node and of the client, in the middle of what is done by HDFS' own protocol. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listNames, readText } from '../../suites/filesystem.ts'
import type { FlatFileSystem } from '../../suites/flat-filesystem.ts'
import { someOf } from '../../suites/stride.ts'
import { digest } from '../webhdfs/files.ts'
import { describeOwnHdfs, findFaults, fsck, openNative, openWebHdfs, threeDataNodes } from './own-cluster.ts'
import { type Meeting, startHdfsProxy } from './proxy.ts'

const timeout = 600_000
/** Longer than a client waits to renew its lease, and not longer than a test may take. */
const hardLimitSeconds = 25
const cluster = {
  ...threeDataNodes,
  properties: {
    ...threeDataNodes.properties,
    'dfs.namenode.lease-hard-limit-sec': `${hardLimitSeconds}`,
    // As in a cluster with files: a name node that is started again takes no writes before its data nodes are there.
    'dfs.namenode.safemode.min.datanodes': '3',
    'dfs.namenode.safemode.extension': '3000',
    // A copy that a killed node was asked for is not waited for.
    'dfs.namenode.reconstruction.pending.timeout-sec': '3',
  },
}
/** Patient enough for a name node that is started again. */
const patient = { maxRetries: 10_000, maxRetryMs: 120_000 }
const blockSize = 1 << 20
const chunkBytes = 65_536
const bytes = randomBytes(8 << 20)

/** The bytes; `atHalf` is waited for before the second half. */
async function* halves(atHalf: () => Promise<void>, from = bytes): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < from.length; at += chunkBytes) {
    yield from.subarray(at, at + chunkBytes)
    if (at <= from.length / 2 && from.length / 2 < at + chunkBytes) await atHalf()
  }
}

await describeOwnHdfs("kill -9 under HDFS' own protocol", cluster, hdfs => {
  let fs: FlatFileSystem
  let view: FlatFileSystem
  beforeAll(async () => {
    fs = await openNative(hdfs(), patient)
    view = await openWebHdfs(hdfs())
  })
  afterAll(async () => {
    await fs?.close()
    await view?.close()
  })

  let paths = 0
  /** Unused by earlier tests, because a failed test is retried. */
  const newPath = (name: string): string => `/${name}-${paths++}`
  const digestOf = async (from: FlatFileSystem, path: string): Promise<string> =>
    digest(Buffer.concat(await Array.fromAsync(await from.open(path))))
  const untilClean = (path: string): Promise<void> =>
    expect.poll(async () => findFaults(await fsck(hdfs(), path)), { timeout: 120_000 }).toEqual([])

  test.for(someOf([0, 1, 2], 3))(
    'data node %d while files are read: each reader has every byte',
    { timeout },
    async node => {
      const path = newPath('read')
      await fs.create(
        path,
        halves(async () => {}),
        { blockSize },
      )
      // Of as many readers some are in the middle of a block on this node, and all will ask it for one.
      const begun: PromiseWithResolvers<void>[] = []
      const killed = Promise.withResolvers<void>()
      const read = async (): Promise<string> => {
        const first = Promise.withResolvers<void>()
        begun.push(first)
        const chunks: Uint8Array[] = []
        for await (const chunk of await fs.open(path)) {
          chunks.push(Buffer.from(chunk))
          first.resolve()
          await killed.promise
        }
        return digest(Buffer.concat(chunks))
      }
      const readers = Array.from({ length: 6 }, read)
      await Promise.all(begun.map(({ promise }) => promise))
      await hdfs().stopDataNode(node)
      killed.resolve()
      expect(new Set(await Promise.all(readers))).toEqual(new Set([digest(bytes)]))
      await hdfs().startDataNode(node)
    },
  )

  test.for(someOf([0, 1, 2], 3))(
    'data node %d while files are written: whole or not there, and then whole',
    { timeout },
    async node => {
      const directory = newPath('write')
      let killing: Promise<void> | undefined
      const kill = (): Promise<void> => {
        killing ??= hdfs().stopDataNode(node)
        return killing
      }
      const names = ['a', 'b', 'c']
      const publish = (name: string): Promise<boolean> =>
        fs.publish(`${directory}/${name}`, halves(kill), { blockSize }).then(
          ({ outcome }) => outcome === 'done',
          () => false,
        )
      const isThere = await Promise.all(names.map(publish))
      const stored = (): Promise<string[]> => listNames(view, directory).catch(() => [])
      await expect.poll(stored).toEqual(names.filter((_, at) => isThere[at]))
      // As the owner of the source does it: sent again, while two nodes are left.
      for (const [at, name] of names.entries()) {
        if (!isThere[at]) expect(await publish(name)).toBe(true)
        expect(await digestOf(fs, `${directory}/${name}`)).toBe(digest(bytes))
      }
      expect(await stored()).toEqual(names)
      await hdfs().startDataNode(node)
      await untilClean(directory)
      for (const name of names) expect(await digestOf(view, `${directory}/${name}`)).toBe(digest(bytes))
    },
  )

  const methods = ['create', 'addBlock', 'complete', 'rename2']
  const kills = methods.flatMap(method => [
    { when: 'before it has', message: method },
    { when: 'before it has answered', message: `answer of ${method}` },
  ])
  test.for(someOf(kills, 5))('the name node, started again, $when: $message', { timeout }, async ({ message }) => {
    const proxy = await startHdfsProxy({ namenodeUrl: hdfs().namenodeUrl, dataNodes: [] })
    const own = await openNative(hdfs(), { namenodeUrl: proxy.namenodeUrl, ...patient })
    let starting: Promise<void> | undefined
    proxy.meet = async ({ name }): Promise<Meeting> => {
      if (name !== message || starting !== undefined) return 'passes'
      const stopped = hdfs().stopNameNode()
      starting = stopped.then(() => hdfs().startNameNode())
      await stopped
      return 'passes'
    }
    const path = newPath('restarted')
    const some = bytes.subarray(0, 3 << 20)
    const published = await own.publish(
      path,
      halves(async () => {}, some),
      { blockSize: 1 << 20 },
    )
    expect(published.outcome).toBe('done')
    expect(await digestOf(own, path)).toBe(digest(some))
    await starting
    expect(starting).toBeDefined()
    await own.close()
    await proxy.close()
    await untilClean(path)
    expect(await digestOf(view, path)).toBe(digest(some))
  })

  test('the name node while many call: each is answered, once and rightly', { timeout }, async () => {
    const names = Array.from({ length: 200 }, (_, at) => `f${at}`)
    const left = [...names]
    const calls = newPath('calls')
    let restarting: Promise<void> | undefined
    const restart = async (): Promise<void> => {
      await hdfs().stopNameNode()
      await hdfs().startNameNode()
    }
    const work = async (): Promise<void> => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        await fs.mkdirs(`${calls}/from/${name}`)
        await fs.rename(`${calls}/from/${name}`, `${calls}/${name}`)
        if (left.length < names.length / 2) restarting ??= restart()
      }
    }
    await Promise.all(Array.from({ length: 16 }, work))
    await restarting
    expect((await listNames(view, calls)).toSorted()).toEqual(['from', ...names].toSorted())
    expect(await listNames(view, `${calls}/from`)).toEqual([])
  })

  test('the client in the middle of an upload: nothing has its name, what was synced is there, and all leases end', {
    timeout,
  }, async () => {
    const directory = newPath('client')
    const args = [join(import.meta.dirname, 'writing-child.ts'), hdfs().namenodeUrl, hdfs().webhdfsUrl, directory]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const seen = { uploaded: 0, synced: 0 }
    for await (const line of createInterface(child.stdout)) {
      Object.assign(seen, JSON.parse(line))
      if (seen.uploaded > 3_000_000 && seen.synced > 1_000) break
    }
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    const there = await listNames(view, directory)
    expect(there.filter(name => !name.startsWith('.'))).toEqual(['log'])
    expect(there).toHaveLength(2)
    // Both are open until the name node takes their leases back.
    expect(findFaults(await fsck(hdfs(), directory)).filter(line => /OPENFORWRITE/.test(line))).toHaveLength(2)
    await untilClean(directory)
    const text = await readText(view, `${directory}/log`)
    expect(text.length).toBeGreaterThanOrEqual(seen.synced)
    expect(text).toBe(Array.from({ length: text.split('\n').length - 1 }, (_, line) => `${line}\n`).join(''))
    // The names are free for the next writer.
    expect(
      (
        await fs.publish(
          `${directory}/upload`,
          halves(async () => {}),
        )
      ).outcome,
    ).toBe('done')
    const log = await fs.appends?.append(`${directory}/log`)
    await log?.close()
  })
})
