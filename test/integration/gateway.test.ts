import { randomBytes } from 'node:crypto'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { chunksOf, listNames, readText } from '../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../suites/flat-filesystem.ts'
import { at, createTestGateway, cutBody, type TestGateway } from '../suites/gateway.ts'
import { describeHdfs, type HdfsUrls } from '../suites/hdfs.ts'

const describeGateway =
  (protocol: 'native' | 'webhdfs') =>
  ({ namenodeUrl, webhdfsUrl }: HdfsUrls) => {
    const base = `/gateway-${protocol}-${process.pid}-${Date.now()}`
    const hdfs = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl] }))
    let gateway: TestGateway
    beforeAll(async () => {
      gateway = await createTestGateway({
        fileSystem: null,
        settings: [
          `namenode.url=${namenodeUrl}`,
          `namenode.webhdfs.url=${webhdfsUrl}`,
          `namenode.protocol=${protocol}`,
          `clusters=${JSON.stringify([
            { path: '/other', url: namenodeUrl, webhdfs: [webhdfsUrl], protocol },
            { path: '/away', url: 'hdfs://127.0.0.1:1', webhdfs: ['http://127.0.0.1:1'] },
          ])}`,
        ],
      })
    })
    afterAll(async () => {
      await gateway.close()
      await hdfs.delete(base, { recursive: true })
    })
    const post = async (path: string, body: NonNullable<RequestInit['body']>, more = '') =>
      await gateway.call(at('', path, more), { method: 'POST', body, duplex: 'half' } as RequestInit)
    const status = async (target: string, init?: RequestInit) => {
      const response = await gateway.call(target, init)
      await response.body?.cancel()
      return response.status
    }

    test('reads of a Parquet file the wanted columns, its end, and little of its beginning', async () => {
      const random = (count: number) => new BigInt64Array(randomBytes(8 * count).buffer, 0, count)
      const columnData = ['a', 'b', 'c'].map(name => ({ name, type: 'INT64' as const, data: random(120_000) }))
      const file = new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED', rowGroupSize: 60_000 }))
      await hdfs.create(`${base}/c.parquet`, new Blob([file]).stream())
      let asked: (number | undefined)[] = []
      const counting: FileSystem = {
        ...hdfs,
        open: (path, options) => {
          asked.push(options?.length)
          return hdfs.open(path, options)
        },
        close: async () => {},
      }
      const { call, close } = await createTestGateway({ fileSystem: counting })
      try {
        const text = await (await call(at('/text', `${base}/c.parquet`, '&columns=b'))).text()
        const lines = text.trimEnd().split('\r\n')
        expect([lines.length, lines[70_000]]).toEqual([120_000, `${columnData[1]?.data[70_000]}`])
        // Two chunks of 8 bytes for each row, and what is around the values.
        const [head, end, ...chunks] = asked
        expect([head, end]).toEqual([256 * 1024, 64 * 1024])
        const read = chunks.reduce<number>((sum, length) => sum + (length ?? 0), 0)
        expect(Math.abs(read - 2 * 8 * 60_000)).toBeLessThan(4_000)
        expect(chunks.length).toBeLessThanOrEqual(16)
        asked = []
        await (await call(at('/text', `${base}/c.parquet`, '&columns=b&range=100000-100001'))).text()
        expect(asked.length).toBeLessThanOrEqual(6)
        const little = asked.reduce<number>((sum, length) => sum + (length ?? 0), 0)
        expect(little).toBeLessThan(256 * 1024 + 64 * 1024 + 8 * 60_000)
      } finally {
        await close()
      }
    })

    describe('uploads', () => {
      test.each([
        { query: '', want: { replication: 3, permission: 0o644 } },
        {
          query: '&replication=2&blocksize=1048576&permission=640',
          want: { replication: 2, blockSize: 1_048_576, permission: 0o640 },
        },
        { query: '&permission=0777', want: { permission: 0o777 } },
        { query: '&permission=u%3Drwx,g%3Drwx,o%3Dr', want: { permission: 0o774 } },
        { query: '&replication=1&blocksize=-1&permission=u%3Drw,go%3Dr', want: { replication: 1, permission: 0o644 } },
      ])('the NameNode reports what "$query" asked for', async ({ query, want }) => {
        const path = `${base}/p/f${encodeURIComponent(query)}`
        const answer = await post(path, 'hello', query)
        expect(answer.status).toBe(201)
        expect(await hdfs.getFileStatus(path)).toMatchObject({ ...want, length: 5 })
        const { permission, ...rest } = want
        const told = { ...rest, permission: permission.toString(8).padStart(4, '0'), size: 5, path }
        expect(await answer.json()).toMatchObject(told)
      })

      test('conflicts, overwriting, and what cannot be written', async () => {
        const path = `${base}/c/f`
        expect((await post(path, 'one')).status).toBe(201)
        expect((await post(path, 'two')).status).toBe(409)
        expect(await readText(hdfs, path)).toBe('one')
        expect((await post(path, 'three', '&overwrite=true')).status).toBe(201)
        expect(await readText(hdfs, path)).toBe('three')
        expect((await post(`${base}/c`, 'x', '&overwrite=true')).status).toBe(409)
        expect((await post(`${path}/below`, 'x')).status).toBe(409)
        expect((await post(`${base}/c/a:b`, 'x')).status).toBe(400)
        expect((await post(`${base}/c/big`, 'x', '&replication=512&blocksize=512')).status).toBe(400)
        expect(await listNames(hdfs, `${base}/c`)).toEqual(['f'])
      })

      test('cut at any byte, no file stays', async () => {
        const whole = Buffer.from('0123456789')
        await hdfs.mkdirs(`${base}/cut`)
        for (let end = 0; end <= whole.length; end++) {
          const answer = await post(`${base}/cut/deep/f`, cutBody(whole.subarray(0, end)))
          expect(answer.status).toBeGreaterThanOrEqual(400)
          // A data node may make its file a moment after the cut; it is found and removed then.
          const files = () => listNames(hdfs, `${base}/cut/deep`).catch(() => [])
          await expect.poll(files).toEqual([])
        }
      })
    })

    describe('reads', () => {
      const file = `${base}/r/ünter "x" #1+2.txt`
      beforeAll(async () => {
        await hdfs.create(file, chunksOf('a\tb\nc\td\n'))
        await hdfs.create(`${base}/r/s/2`, chunksOf('e\n'))
      })

      test('every endpoint gives the file', async () => {
        const json = await (await gateway.call(at('/json', file))).json()
        expect(json).toMatchObject({
          path: file,
          entries: [
            {
              path: file,
              size: 8,
              isDir: false,
              content: [
                { 'col-0': 'a', 'col-1': 'b' },
                { 'col-0': 'c', 'col-1': 'd' },
              ],
            },
          ],
        })
        const text = await gateway.call(at('/text', file))
        expect([await text.text(), text.headers.get('x-row-serializer')]).toEqual(['a,b\r\nc,d\r\n', 'text'])
        expect(await (await gateway.call(at('/hdfs', file, '&raw=false'))).text()).toBe('a,b\r\nc,d\r\n')
        const page = await gateway.call(at('/hdfs', file), { headers: { accept: 'text/html' } })
        expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
        const binary = await gateway.call(at('/binary', file), { headers: { range: 'bytes=2-4' } })
        expect([binary.status, await binary.text(), binary.headers.get('content-range')]).toEqual([
          206,
          'b\nc',
          'bytes 2-4/8',
        ])
        expect(await status(at('/binary', file), { headers: { range: 'bytes=8-' } })).toBe(416)
      })

      test('directories', async () => {
        expect(await (await gateway.call(at('/text', `${base}/r`, '&recursive=true&range=2-2'))).text()).toBe('e\r\n')
        expect(await (await gateway.call(at('/binary', `${base}/r`, '&recursive=true'))).text()).toBe('a\tb\nc\td\ne\n')
      })

      test('what is missing, denied, or not empty', async () => {
        for (const route of ['/json', '/text', '/binary', '/hdfs'])
          expect(await status(at(route, `${base}/none`))).toBe(404)
        expect(await status(at('', `${base}/none`), { method: 'DELETE' })).toBe(404)
        expect(await status(at('', `${base}/r`), { method: 'DELETE' })).toBe(409)
        const nobody = await createTestGateway({
          fileSystem: null,
          settings: [
            `namenode.url=${namenodeUrl}`,
            `namenode.webhdfs.url=${webhdfsUrl}`,
            `namenode.protocol=${protocol}`,
            'namenode.user=nobody',
          ],
        })
        await hdfs.create(`${base}/secret/f`, chunksOf('x'), { permission: 0o600 })
        for (const route of ['/json', '/text', '/binary']) {
          const answer = await nobody.call(at(route, `${base}/secret/f`))
          expect([route, answer.status, await answer.json()]).toMatchObject([route, 403, { code: 'denied' }])
        }
        const listing = await nobody.call(at('/json', `${base}/secret`))
        expect(await listing.json()).toMatchObject({
          entries: [{ content: [], error: expect.stringContaining('denied') }],
        })
        expect((await nobody.call(at('', `${base}/secret/f`), { method: 'DELETE' })).status).toBe(403)
        await nobody.close()
      })
    })

    describe('several clusters', () => {
      test('a mount serves its paths, one that is unavailable fails its own', async () => {
        await hdfs.create(`${base}/m/f`, chunksOf('x\n'))
        expect(await (await gateway.call(at('/text', `/other${base}/m/f`))).text()).toBe('x\r\n')
        const root = (await (await gateway.call('/rest/1.0/json?path=/&content=false')).json()) as {
          entries: { path: string }[]
        }
        expect(root.entries.map(({ path }) => path)).toEqual(expect.arrayContaining(['/away', '/other', base]))
        const away = await gateway.call('/rest/1.0/json?path=/away/f')
        expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1'])
      })
    })

    test('deletes', async () => {
      await hdfs.create(`${base}/x/f`, chunksOf('x'))
      expect(await status(at('', `${base}/x/f`), { method: 'DELETE' })).toBe(200)
      expect(await status(at('', `${base}/x`), { method: 'DELETE' })).toBe(200)
      expect(await status(at('', `${base}/x`), { method: 'DELETE' })).toBe(404)
    })
  }

for (const protocol of ['webhdfs', 'native'] as const) {
  describeHdfs(`the gateway on a real HDFS, by ${protocol}`, describeGateway(protocol))
}
