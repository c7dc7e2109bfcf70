import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { remoteOf } from '../../src/filesystem/cluster/remote-exception.ts'
import type { WebHdfsOperation } from '../../src/filesystem/hadoop-verbs.ts'
import { createMountTable } from '../../src/filesystem/mounts.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { chunksOf, expectCode, listNames, readText } from '../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../suites/flat-filesystem.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'

describeHdfs('verbs on a real HDFS', ({ webhdfsUrl }) => {
  const base = `/verbs-${process.pid}-${Date.now()}`
  const at = (path: string): string => `${base}/${path}`
  const fs = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl] }))
  const bob = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl], user: 'bob' }))
  const passOn = (more: Partial<WebHdfsOperation>, on: FileSystem = fs): Promise<unknown> =>
    on.webHdfs?.({ method: 'GET', op: 'GETXATTRS', path: base, params: [], ...more }) ??
    Promise.reject(new Error('WebHDFS passes on'))
  const put = (op: string, path: string, ...params: [string, string][]): Promise<unknown> =>
    passOn({ method: 'PUT', op, path, params })

  beforeAll(() => fs.mkdirs(base))
  afterAll(async () => {
    await fs.delete(base, { recursive: true })
    await fs.close()
    await bob.close()
  })

  describe('append', () => {
    test('of somebody who may write keeps whose file it is, its bits, replication, block size and ACL', async () => {
      await fs.mkdirs(at('shared'), { permission: 0o777 })
      await fs.create(at('shared/file'), chunksOf('root '), { permission: 0o666, replication: 2, blockSize: 2_048 })
      await put('SETACL', at('shared/file'), ['aclspec', 'user::rw-,user:ann:r--,group::rw-,other::rw-'])
      const before = await fs.getFileStatus(at('shared/file'))
      await bob.append(at('shared/file'), chunksOf('bob'))
      const { modificationTime, ...after } = await fs.getFileStatus(at('shared/file'))
      expect(after).toEqual({ ...before, length: 8, modificationTime: undefined })
      expect(modificationTime).toBeGreaterThanOrEqual(before.modificationTime)
      expect(after).toMatchObject({ owner: 'root', replication: 2, blockSize: 2_048, attributes: ['HAS_ACL'] })
      expect(await readText(fs, at('shared/file'))).toBe('root bob')
      expect(await fs.getFileBlockLocations(at('shared/file'), 0, 8)).toHaveLength(2)
    })

    test('of somebody who may not is denied, and leaves nothing', async () => {
      await fs.create(at('shared/mine'), chunksOf('root'), { permission: 0o644 })
      await expectCode(bob.append(at('shared/mine'), chunksOf('bob')), 'denied')
      expect(await readText(fs, at('shared/mine'))).toBe('root')
      await expect.poll(() => listNames(fs, at('shared'))).toEqual(['file', 'mine'])
      // The bytes are first written beside it.
      await fs.mkdirs(at('closed'), { permission: 0o755 })
      await fs.create(at('closed/file'), chunksOf('root'), { permission: 0o666 })
      await expectCode(bob.append(at('closed/file'), chunksOf('bob')), 'denied')
    })

    test('of nothing to an empty file, and of a first byte to it', async () => {
      await fs.create(at('empty'), chunksOf(), { blockSize: 1_024 })
      await fs.append(at('empty'), chunksOf())
      await fs.append(at('empty'), chunksOf('1'))
      expect(await fs.getFileStatus(at('empty'))).toMatchObject({ length: 1, blockSize: 1_024 })
    })

    test('to a name with a comma, but in no directory with one: HDFS has no way to name the bytes there', async () => {
      await fs.create(at('comma/file,'), chunksOf('one '), { overwrite: true })
      await fs.append(at('comma/file,'), chunksOf('two'))
      expect(await readText(fs, at('comma/file,'))).toBe('one two')
      await fs.create(at('a,b/c/file'), chunksOf('one '), { overwrite: true })
      await expectCode(fs.append(at('a,b/c/file'), chunksOf('two')), 'unsupported')
      expect(await listNames(fs, at('a,b/c'))).toEqual(['file'])
      // What was believed of the cluster: a source elsewhere is refused.
      await fs.create(at('elsewhere'), chunksOf('two'), { overwrite: true })
      const params = [['sources', at('elsewhere')]] as const
      const concat = passOn({ method: 'POST', op: 'CONCAT', path: at('a,b/c/file'), params })
      await expect(concat).rejects.toThrow('is not in the same directory')
    })

    test('is in several blocks where it is longer than one', async () => {
      const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251))
      const source = async function* () {
        yield bytes
      }
      await fs.create(at('long'), source(), { blockSize: 1_024 })
      await fs.append(at('long'), source())
      const chunks = await Array.fromAsync(await fs.open(at('long'), { offset: 4_500, length: 1_000 }))
      expect(Buffer.concat(chunks).equals(Buffer.concat([bytes, bytes]).subarray(4_500, 5_500))).toBe(true)
      expect(await fs.getFileBlockLocations(at('long'), 0, 10_000)).toHaveLength(10)
      expect(await fs.getFileBlockLocations(at('long'), 4_999, 2)).toHaveLength(2)
    })
  })

  test('access is that of the caller', async () => {
    await fs.create(at('secret/file'), chunksOf('x'), { permission: 0o640 })
    await fs.access(at('secret/file'), 7)
    for (const action of [1, 2, 4, 6]) await expectCode(bob.access(at('secret/file'), action), 'denied')
    await bob.access(at('secret'), 5)
    await expectCode(bob.access(at('secret'), 2), 'denied')
    await expectCode(bob.setPermission(at('secret/file'), 0o777), 'denied')
    await expectCode(bob.setOwner(at('secret/file'), { owner: 'bob' }), 'denied')
    await expectCode(bob.setTimes(at('secret/file'), { accessTime: 1 }), 'denied')
    // Nothing can be below a file, for any caller.
    await expectCode(bob.getFileStatus(at('secret/file/below')), 'not-found')
  })

  test('the root can be summarized: it has no quota', async () => {
    expect(await fs.getContentSummary('/')).toMatchObject({ quota: -1, spaceQuota: -1 })
  })

  test('a summary counts every copy', async () => {
    await fs.create(at('copies/file'), chunksOf('12345'), { replication: 3 })
    expect(await fs.getContentSummary(at('copies'))).toMatchObject({ length: 5, spaceConsumed: 15 })
  })

  describe('webHdfs', () => {
    test('extended attributes, of which several are asked for by one name', async () => {
      await fs.create(at('x'), chunksOf('x'), { overwrite: true })
      for (const name of ['user.a', 'user.b', 'user.c']) {
        await put('SETXATTR', at('x'), ['xattr.name', name], ['xattr.value', `"${name}=&+%"`], ['flag', 'CREATE'])
      }
      const params = ['user.a', 'user.b'].map(name => ['xattr.name', name] as const)
      expect(await passOn({ path: at('x'), params: [...params, ['encoding', 'text']] })).toEqual({
        XAttrs: [
          { name: 'user.a', value: '"user.a=&+%"' },
          { name: 'user.b', value: '"user.b=&+%"' },
        ],
      })
      const missing = passOn({
        path: at('x'),
        params: [
          ['xattr.name', 'user.none'],
          ['encoding', 'text'],
        ],
      })
      const error = await missing.catch((reason: unknown) => reason)
      expect(remoteOf(error)).toMatchObject({
        exception: 'XAttrNotFoundException',
        javaClassName: 'org.apache.hadoop.hdfs.protocol.XAttrNotFoundException',
        httpStatus: 403,
      })
    })

    test('impersonation is refused', async () => {
      const call = { path: at('secret/file'), op: 'GETACLSTATUS', params: [] }
      for (const name of ['user.name', 'User.Name', 'doas', 'DOAS', 'doAs']) {
        const status = await passOn({ ...call, path: base, op: 'GETHOMEDIRECTORY', params: [[name, 'ann']] }, bob)
        expect(status).toEqual({ Path: '/user/bob' })
      }
      await expectCode(passOn({ op: 'GETDELEGATIONTOKEN', params: [['renewer', 'bob']] }), 'unsupported')
    })

    test('paths of a mounted cluster are those of the one name space, to and fro', async () => {
      const far = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl] }))
      const table = flat(createMountTable(createMemoryFileSystem(), [{ path: '/mnt/far', fileSystem: far }]))
      const call = (method: WebHdfsOperation['method'], op: string, ...params: [string, string][]): Promise<unknown> =>
        passOn({ method, op, path: `/mnt/far${base}/snap`, params }, table)
      await table.create(`/mnt/far${base}/snap/file`, chunksOf('x'))
      await call('PUT', 'ALLOWSNAPSHOT')
      expect((await table.getFileStatus(`/mnt/far${base}/snap`)).attributes).toEqual(['SNAPSHOT_ENABLED'])
      const snapshot = `/mnt/far${base}/snap/.snapshot/one`
      expect(await call('PUT', 'CREATESNAPSHOT', ['snapshotname', 'one'])).toEqual({ Path: snapshot })
      expect(await readText(table, `${snapshot}/file`)).toBe('x')
      expect(await call('GET', 'GETSNAPSHOTLIST')).toMatchObject({ SnapshotList: [{ fullPath: snapshot }] })
      expect(await call('GET', 'GETSNAPSHOTTABLEDIRECTORYLIST')).toMatchObject({
        SnapshottableDirectoryList: [{ parentFullPath: `/mnt/far${base}`, dirStatus: { pathSuffix: 'snap' } }],
      })
      await call('PUT', 'CREATESNAPSHOT', ['snapshotname', 'two'])
      expect(await call('GET', 'GETSNAPSHOTDIFF', ['oldsnapshotname', 'one'], ['snapshotname', 'two'])).toMatchObject({
        SnapshotDiffReport: { snapshotRoot: `/mnt/far${base}/snap` },
      })
      expect(await call('GET', 'GETTRASHROOT')).toEqual({ Path: '/mnt/far/user/root/.Trash' })
      await table.create(`/mnt/far${base}/parts/a`, chunksOf('a'))
      await table.create(`/mnt/far${base}/parts/b`, chunksOf('b'))
      const concat = { method: 'POST', op: 'CONCAT', path: `/mnt/far${base}/parts/a` } as const
      await passOn({ ...concat, params: [['sources', `/mnt/far${base}/parts/b`]] }, table)
      expect(await readText(table, concat.path)).toBe('ab')
      for (const name of ['one', 'two']) await call('DELETE', 'DELETESNAPSHOT', ['snapshotname', name])
      await call('PUT', 'DISALLOWSNAPSHOT')
      await table.close()
    })

    test('an unknown operation is refused in the words of the name node', async () => {
      const error = await passOn({ op: 'FOO' }).catch((reason: unknown) => reason)
      expect(remoteOf(error)?.message).toContain('FOO is not a valid GET operation')
    })
  })
})
