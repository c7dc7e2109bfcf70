import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  defaultHadoopVersion,
  fetchHadoop,
  hadoopVersion,
  hdfsHome,
  missingForHdfs,
} from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { at } from '../suites/gateway.ts'
import { isRequired } from '../suites/hdfs.ts'
import { type Child, cleanUp, createDirectory, start } from './process/child.ts'

// Clusters of their own: the shared one must not be stopped, and is of one version.
const newVersion = hadoopVersion()
const oldVersion = newVersion === '3.1.4' ? defaultHadoopVersion : '3.1.4'

/** Why there are no two clusters; undefined when there can be. */
const findMissing = async (): Promise<string | undefined> => {
  if (process.env['SLUICE_NO_HDFS']) return 'SLUICE_NO_HDFS is set'
  for (const version of [newVersion, oldVersion]) {
    const missing = await missingForHdfs(hdfsHome(), version)
    if (missing !== undefined) return missing
    // Both versions or none: a machine without a network may have one in its cache only.
    const fetched = fetchHadoop({ home: hdfsHome(), version, log: () => {} })
    const failure = await fetched.then(() => '', String)
    if (failure !== '') return `no Hadoop ${version}: ${failure.split('\n')[0]}`
  }
  return undefined
}
const missing = await findMissing()

describe.skipIf(missing !== undefined && !isRequired('hdfs'))(
  `a server over Hadoop ${newVersion}, Hadoop ${oldVersion} and a directory${missing ? `: ${missing}` : ''}`,
  () => {
    let clusters: { readonly newer: Cluster; readonly older: Cluster }
    let server: Child
    let base: string

    beforeAll(async () => {
      const started = await Promise.allSettled([startCluster(), startCluster({ version: oldVersion })])
      const [newer, older] = started.map(one => (one.status === 'fulfilled' ? one.value : undefined))
      if (!newer || !older) {
        await Promise.all([newer?.stop(), older?.stop()])
        throw new Error(started.map(one => (one.status === 'rejected' ? String(one.reason) : 'started')).join('\n'))
      }
      clusters = { newer, older }
      const cwd = createDirectory()
      mkdirSync(join(cwd, 'exports'))
      writeFileSync(
        join(cwd, 'sluice.yaml'),
        `namenode.url: ${newer.namenodeUrl}
namenode.webhdfs.url: ${newer.webhdfsUrl}
clusters:
  - { path: /old, url: ${older.namenodeUrl}, webhdfs: ${older.webhdfsUrl}, user: ${older.user} }
  - { path: /local, url: file://${cwd}/exports }
`,
      )
      server = start(process.execPath, [resolve('src/main.ts')], { cwd })
      base = String((await server.logged('sluice is ready'))['server'])
    })
    afterAll(async () => {
      cleanUp()
      await Promise.all([clusters?.newer.stop(), clusters?.older.stop()])
    })

    const call = async (target: string, init?: RequestInit) => {
      const response = await fetch(`${base}${target}`, init)
      return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
    }
    const upload = (path: string, body: NonNullable<RequestInit['body']>) =>
      call(at('', path, '&overwrite=true'), { method: 'POST', body, duplex: 'half' } as RequestInit)
    const readEntries = async (path: string, more = ''): Promise<readonly Entry[]> => {
      const { status, text } = await call(at('/json', path, more))
      expect({ path, status }).toEqual({ path, status: 200 })
      return (JSON.parse(text) as { readonly entries: readonly Entry[] }).entries
    }

    test('the clusters are of different versions', async () => {
      const versions = await Promise.all([clusters.newer, clusters.older].map(readVersion))
      expect(versions).toEqual([newVersion, oldVersion])
    })

    const places = ['/a', '/old/a', '/local/a']

    test('each takes files at its place and gives them back', async () => {
      for (const place of places) {
        expect(await upload(`${place}/f.txt`, `${place}\t1\n`)).toMatchObject({ status: 201 })
        expect(await upload(`${place}/below/g.txt`, `${place}\t2\n`)).toMatchObject({ status: 201 })
      }
      for (const place of places) {
        expect(await call(at('/text', `${place}/f.txt`))).toMatchObject({ status: 200, text: `${place},1\r\n` })
        expect(await call(at('/binary', `${place}/f.txt`))).toMatchObject({ status: 200, text: `${place}\t1\n` })
        const page = await call(at('/hdfs', `${place}/f.txt`), { headers: { accept: 'text/html' } })
        expect([page.status, page.text]).toEqual([200, expect.stringContaining(`<td><bdi>${place}</bdi></td>`)])
      }
    })

    test('together they are one tree', async () => {
      const top = (await readEntries('/', '&content=false')).map(({ path }) => path)
      expect(top).toEqual(expect.arrayContaining(['/a', '/local', '/old']))
      // No cluster shows what is another's.
      expect((await readEntries('/old', '&content=false')).map(({ path }) => path)).toEqual(['/old/a'])
      for (const place of places) {
        const files = (await readEntries(place, '&recursive=true')).filter(({ isDir }) => !isDir)
        expect(files.map(({ path, content }) => [path, content])).toEqual(
          expect.arrayContaining([
            [`${place}/f.txt`, [{ 'col-0': place, 'col-1': '1' }]],
            [`${place}/below/g.txt`, [{ 'col-0': place, 'col-1': '2' }]],
          ]),
        )
        expect(files).toHaveLength(2)
      }
    })

    const away = { status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) }
    const reads = ['/json', '/text', '/binary', '/hdfs']
    const expectOthersAnswer = async () => {
      for (const place of ['/a', '/local/a']) {
        expect(await call(at('/text', `${place}/f.txt`))).toMatchObject({ status: 200, text: `${place},1\r\n` })
        expect(await upload(`${place}/h.txt`, 'x\n')).toMatchObject({ status: 201 })
        expect(await call(at('', `${place}/h.txt`), { method: 'DELETE' })).toMatchObject({ status: 200 })
      }
    }

    test('a cluster whose NameNode is down fails its own paths only, until it is back', async () => {
      await clusters.older.stopNameNode()
      for (const route of reads) expect([route, await call(at(route, '/old/a/f.txt'))]).toMatchObject([route, away])
      expect(await upload('/old/a/h.txt', 'x\n')).toMatchObject(away)
      expect(await call(at('', '/old/a/f.txt'), { method: 'DELETE' })).toMatchObject(away)
      await expectOthersAnswer()
      const tree = await readEntries('/', '&recursive=true')
      expect(tree.find(({ path }) => path === '/old')).toMatchObject({ error: expect.stringMatching(/\S/) })
      expect(tree.map(({ path }) => path)).toEqual(expect.arrayContaining(['/a/f.txt', '/local/a/f.txt']))

      await clusters.older.startNameNode()
      expect(await call(at('/text', '/old/a/f.txt'))).toMatchObject({ status: 200, text: '/old/a,1\r\n' })
      expect(await upload('/old/a/h.txt', 'x\n')).toMatchObject({ status: 201 })
      expect(await call(at('', '/old/a/h.txt'), { method: 'DELETE' })).toMatchObject({ status: 200 })
    })

    // The limit is the assertion: the client of the default cluster may wait for a minute, a mount's may not.
    test('a cluster that hangs is given up, and does not delay others', async () => {
      await clusters.older.stopNameNode()
      const { namenodeUrl, webhdfsUrl } = clusters.older
      const holes = await Promise.all([namenodeUrl, webhdfsUrl].map(url => createBlackHole(Number(new URL(url).port))))
      let answered = 0
      const hanging = reads.map(async route => {
        const answer = await call(at(route, '/old/a/f.txt'))
        answered++
        return answer
      })
      // Calls of a caller share one connection.
      await holes[0]?.taken(1)
      await expectOthersAnswer()
      expect(answered).toBe(0)
      expect(await Promise.all(hanging)).toMatchObject(reads.map(() => away))
      for (const hole of holes) hole.close()
      await clusters.older.startNameNode()
      expect(await call(at('/text', '/old/a/f.txt'))).toMatchObject({ status: 200, text: '/old/a,1\r\n' })
    })

    test('a DataNode that dies midway breaks what it was sending', async () => {
      expect(await upload('/big.txt', ReadableStream.from(toContent('\t', '\n')))).toMatchObject({ status: 201 })
      const wholes = [
        { route: '/binary', want: () => toContent('\t', '\n') },
        { route: '/text', want: () => toContent(',', '\r\n') },
      ]
      const downloads = await Promise.all(wholes.map(({ route }) => createDownload(base + at(route, '/big.txt'))))
      for (const download of downloads) await download.read(midwayBytes)

      await clusters.newer.stopDataNode()
      for (const [index, download] of downloads.entries()) {
        await expect(download.read()).rejects.toThrow(/aborted|ECONNRESET/)
        const { bytes, hash, isComplete } = download.state()
        expect([bytes >= midwayBytes, bytes < blockBytes * blocks, isComplete]).toEqual([true, true, false])
        // What did arrive is the beginning of the file.
        expect(hash).toBe(toHash(wholes[index]?.want() ?? [], bytes))
      }
      expect(await call(at('/binary', '/big.txt'))).toMatchObject(away)
      expect(await readEntries('/a', '&content=false')).toHaveLength(2)
      expect(await call(at('/text', '/old/a/f.txt'))).toMatchObject({ status: 200 })

      await clusters.newer.startDataNode()
      for (const { route, want } of wholes) {
        const download = await createDownload(base + at(route, '/big.txt'))
        await download.read()
        expect([download.state().isComplete, download.state().hash]).toEqual([true, toHash(want())])
      }
    })

    test('through all of it the server was one process', async () => {
      server.process.kill('SIGTERM')
      expect(await server.ended()).toBe(0)
    })
  },
)

type Entry = { readonly path: string; readonly isDir: boolean; readonly content?: unknown; readonly error?: string }

const readVersion = async ({ webhdfsUrl }: Cluster): Promise<unknown> => {
  const response = await fetch(`${webhdfsUrl}/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo`)
  const { beans } = (await response.json()) as { readonly beans: readonly { readonly SoftwareVersion?: unknown }[] }
  return beans[0]?.SoftwareVersion
}

/** Takes connections and never says a word, as a process that hangs. */
const createBlackHole = async (port: number) => {
  const sockets: Socket[] = []
  const server = createServer(socket => sockets.push(socket.on('error', () => {}))).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    /** Waits until this many connections are held. */
    taken: async (count: number): Promise<void> => {
      while (sockets.length < count) await once(server, 'connection')
    },
    close: (): void => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** 200 MB, two blocks of HDFS: far more than sockets hold on the way to a client that does not read. */
const blocks = 200
const linesPerBlock = 10_000
const blockBytes = 1_000_000
const midwayBytes = 64_000_000

/** Lines of a number and a filling, 100 bytes each with a separator and an end of one. */
function* toContent(separator: string, end: string): Generator<Uint8Array, void, undefined> {
  const rest = `${separator}${'x'.repeat(89)}${end}`
  for (let block = 0; block < blocks; block++) {
    const numbers = Array.from({ length: linesPerBlock }, (_, line) => String(block * linesPerBlock + line))
    yield Buffer.from(numbers.map(number => number.padStart(9, '0') + rest).join(''))
  }
}

/** Hash of the first bytes. */
const toHash = (content: Iterable<Uint8Array>, maxBytes = Number.POSITIVE_INFINITY): string => {
  const hash = createHash('sha256')
  let left = maxBytes
  for (const piece of content) {
    hash.update(piece.subarray(0, left))
    left -= piece.length
    if (left <= 0) break
  }
  return hash.digest('hex')
}

/** A client that takes bytes only on request, and distinguishes a whole answer from a broken one. */
const createDownload = async (url: string) => {
  const message = await new Promise<IncomingMessage>((done, fail) => {
    get(url, { agent: false }, done).on('error', fail)
  })
  expect(message.statusCode).toBe(200)
  const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  let bytes = 0
  return {
    /** Takes at least this many bytes, or everything. */
    read: async (enough = Number.POSITIVE_INFINITY): Promise<void> => {
      while (bytes < enough) {
        const next = await chunks.next()
        if (next.done) return
        hash.update(next.value)
        bytes += next.value.length
      }
    },
    state: () => ({ bytes, hash: hash.copy().digest('hex'), isComplete: message.complete }),
  }
}
