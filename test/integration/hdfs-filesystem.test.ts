import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { chunksOf, describeFileSystem, expectCode, listNames, readText } from '../suites/filesystem.ts'
import { flat } from '../suites/flat-filesystem.ts'
import { describeHdfs } from '../suites/hdfs.ts'

async function* zeros(count: number): AsyncGenerator<Uint8Array> {
  for (let left = count; left > 0; left--) yield new Uint8Array(65_536)
}

describeHdfs('WebHDFS on a real HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  const base = `/suite-${process.pid}-${Date.now()}`
  const fs = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl] }))
  afterAll(() => fs.delete(base, { recursive: true }))

  // HDFS itself refuses a colon in a name.
  describeFileSystem('webhdfs', { fs: () => fs, base, manyFiles: 1_500, impossibleNames: ['a:b'], isSuperuser: true })

  beforeAll(() => fs.mkdirs(`${base}/own`, { permission: 0o755 }))

  test('another user is denied, however long the upload is', async () => {
    const bob = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl], user: 'bob' }))
    for (const chunks of [0, 1, 300]) {
      await expectCode(bob.create(`${base}/own/file`, zeros(chunks), { overwrite: true }), 'denied')
    }
    await expectCode(bob.mkdirs(`${base}/own/dir`), 'denied')
    await expectCode(bob.rename(`${base}/own`, `${base}/theirs`), 'denied')
    await expectCode(bob.delete(`${base}/own`), 'denied')
    expect(await listNames(fs, `${base}/own`)).toEqual([])
  })

  test('the owner, replication and block size are those that were asked for', async () => {
    await fs.mkdirs(`${base}/shared`, { permission: 0o777 })
    const bob = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl], user: 'bob' }))
    await bob.create(`${base}/shared/file`, zeros(1), { blockSize: 1_048_576, replication: 2, syncBlock: true })
    expect(await fs.getFileStatus(`${base}/shared/file`)).toMatchObject({
      owner: 'bob',
      replication: 2,
      blockSize: 1_048_576,
      length: 65_536,
    })
  })

  test('a space quota is reported as such', async ({ skip }) => {
    await fs.mkdirs(`${base}/quota`)
    const url = `${webhdfsUrl}/webhdfs/v1${base}/quota?op=SETQUOTA&namespacequota=100&storagespacequota=1000000`
    const response = await fetch(url, { method: 'PUT' })
    skip(response.status === 400, 'this version of Hadoop cannot set a quota over HTTP')
    expect(response.status).toBe(200)
    await expectCode(fs.create(`${base}/quota/file`, chunksOf('x'), { blockSize: 2_097_152 }), 'quota-exceeded')
  })

  test('a range over several blocks has every byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251))
    const source = (async function* () {
      yield bytes
    })()
    await fs.create(`${base}/blocks`, source, { blockSize: 1_024 })
    const chunks = await Array.fromAsync(await fs.open(`${base}/blocks`, { offset: 1_000, length: 5_000 }))
    expect(Buffer.concat(chunks).equals(bytes.subarray(1_000, 6_000))).toBe(true)
  })

  test('an upload cut anywhere leaves no file under the final name', async () => {
    for (const chunks of [0, 1, 40]) {
      const source = async function* () {
        yield* zeros(chunks)
        throw new Error('cut')
      }
      const write = async (): Promise<void> => {
        await fs.create(`${base}/cut/file.tmp`, source(), { overwrite: true })
        await fs.rename(`${base}/cut/file.tmp`, `${base}/cut/file`)
      }
      await expect(write()).rejects.toThrow('cut')
      expect(await fs.delete(`${base}/cut/file`)).toBe(false)
    }
  })

  test('a delegation token of the cluster takes the place of a user', async () => {
    const response = await fetch(`${webhdfsUrl}/webhdfs/v1/?op=GETDELEGATIONTOKEN&renewer=root`)
    const { Token } = (await response.json()) as { Token: { urlString: string } }
    const withToken = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl], token: Token.urlString, user: 'bob' }))
    await withToken.create(`${base}/token`, chunksOf('x'), { overwrite: true })
    expect(await readText(withToken, `${base}/token`)).toBe('x')
  })

  test('the settings lead to it', async () => {
    const made = flat(await createFileSystem({ url: namenodeUrl, webhdfs: [webhdfsUrl] }))
    await made.probe()
    expect(made.url).toBe(namenodeUrl)
  })
})
