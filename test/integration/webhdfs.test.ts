import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { chunksOf, listNames, readText } from '../suites/filesystem.ts'
import { flat } from '../suites/flat-filesystem.ts'
import { createTestGateway, cutBody, type TestGateway } from '../suites/gateway.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { type AskWebHdfs, createAskWebHdfs, remoteOf } from '../suites/webhdfs.ts'

describeHdfs('the WebHDFS API over a real HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  const base = `/webhdfs-${process.pid}-${Date.now()}`
  const hdfs = flat(createWebHdfsFileSystem({ urls: [webhdfsUrl] }))
  let gateway: TestGateway
  let ask: AskWebHdfs
  /** The same call straight to the name node; where it leads to a data node it is followed. */
  const straight = createAskWebHdfs({ call: (target, init) => fetch(`${webhdfsUrl}${target}`, init) })
  const put = (path: string, text: string) => hdfs.create(`${base}${path}`, chunksOf(text))

  beforeAll(async () => {
    gateway = await createTestGateway({
      fileSystem: null,
      settings: [
        `namenode.url=${namenodeUrl}`,
        `namenode.webhdfs.url=${webhdfsUrl}`,
        `clusters=${JSON.stringify([
          { path: '/m', url: namenodeUrl, webhdfs: [webhdfsUrl] },
          { path: '/away', url: 'hdfs://127.0.0.1:1', webhdfs: ['http://127.0.0.1:1'] },
        ])}`,
      ],
    })
    ask = createAskWebHdfs(gateway)
    await put('/d/ü 1', 'one')
    await put('/d/two', 'two')
    await put('/e/f', 'f')
  })
  afterAll(async () => {
    await gateway.close()
    await hdfs.delete(base, { recursive: true })
  })

  describe.each([
    ['the default cluster', ''],
    ['a mount', '/m'],
  ])('%s answers as its name node does', (_, mount) => {
    /** Fields that only the name node knows. */
    const unknown = ['childrenNum', 'fileId', 'storagePolicy']
    const plain = (json: unknown): unknown =>
      json && JSON.parse(JSON.stringify(json), (key, value) => (unknown.includes(key) ? undefined : value))

    test.each([
      ['/d', 'GETFILESTATUS'],
      ['/d/ü 1', 'GETFILESTATUS'],
      ['/d', 'LISTSTATUS'],
      ['/d/two', 'LISTSTATUS'],
      ['/d', 'LISTSTATUS_BATCH'],
      ['/d', 'LISTSTATUS_BATCH&startAfter=two'],
      ['/d/two', 'GETFILECHECKSUM'],
      ['/d', 'GETACLSTATUS'],
      ['/d/two', 'GETXATTRS&encoding=text'],
      ['/d', 'GETSTORAGEPOLICY'],
      ['/d', 'GETQUOTAUSAGE'],
      ['/d/two', 'CHECKACCESS&fsaction=r--'],
    ])('%s %s', async (path, query) => {
      const here = await ask('GET', `${mount}${base}${path}`, query)
      const there = await straight('GET', `${base}${path}`, query)
      expect(here.status).toBe(200)
      expect(here.json).toEqual(plain(there.json))
      expect([here.status, here.text === '']).toEqual([there.status, there.text === ''])
    })

    test.each([
      ['GET', '/none', 'GETFILESTATUS'],
      ['GET', '/none', 'LISTSTATUS'],
      ['GET', '/none', 'OPEN'],
      ['GET', '/none', 'GETCONTENTSUMMARY'],
      ['GET', '/none', 'GETFILECHECKSUM'],
      ['GET', '/none', 'CHECKACCESS&fsaction=r--'],
      ['GET', '/d/two', 'OPEN&offset=4'],
      ['GET', '/d', 'GETLINKTARGET'],
      ['GET', '/d', 'GETXATTRS&encoding=text&xattr.name=user.none'],
      ['GET', '/d', 'NOTHING'],
      ['PUT', '/d/two/x', 'MKDIRS'],
      ['PUT', '/d/two', 'MKDIRS'],
      ['PUT', '/none', 'SETPERMISSION&permission=644'],
      ['PUT', '/none', 'SETOWNER&owner=ann'],
      ['PUT', '/d', 'SETOWNER'],
      ['PUT', '/none', 'SETTIMES&modificationtime=1'],
      ['PUT', '/none', `RENAME&destination=${base}/x`],
      ['PUT', '/none', `RENAME&destination=${base}/x&renameoptions=NONE`],
      ['PUT', '/d/two', `RENAME&destination=${base}/e/f&renameoptions=NONE`],
      ['PUT', '/d/two', `RENAME&destination=${base}/none/x&renameoptions=NONE`],
      ['PUT', '/d/two', `RENAME&destination=${base}/none/x`],
      ['PUT', '/d/two', `RENAME&destination=${base}/e/f`],
      ['PUT', '/d', 'SETREPLICATION&replication=2'],
      ['PUT', '/d', 'CREATESNAPSHOT'],
      ['POST', '/none', 'APPEND'],
      ['POST', '/none', 'TRUNCATE&newlength=1'],
      ['DELETE', '/d', 'DELETE'],
      ['DELETE', '/none', 'DELETE'],
    ] as const)('%s %s %s', async (method, path, query) => {
      const outer = query.replace(`destination=${base}`, `destination=${mount}${base}`)
      const here = await ask(method, `${mount}${base}${path}`, outer)
      const there = await straight(method, `${base}${path}`, query, { redirect: 'manual' })
      expect(here.status).toBe(there.status)
      if (there.status >= 400) expect(remoteOf(here).exception).toBe(remoteOf(there).exception)
      else expect(here.json).toEqual(there.json)
      expect(await listNames(hdfs, `${base}/d`)).toEqual(['ü 1', 'two'])
    })
  })

  test('what is created, added to and opened are the same bytes', async () => {
    const first = await ask('PUT', `${base}/new`, 'CREATE&replication=2&blocksize=1048576&permission=600')
    const { pathname, search } = new URL(first.headers.get('location') ?? '')
    expect((await gateway.call(`${pathname}${search}`, { method: 'PUT', body: 'one' })).status).toBe(201)
    expect(await hdfs.getFileStatus(`${base}/new`)).toMatchObject({
      replication: 2,
      blockSize: 2 ** 20,
      permission: 0o600,
    })
    expect((await ask('POST', `${base}/new`, 'APPEND', { body: ', two' })).status).toBe(200)
    expect(await readText(hdfs, `${base}/new`)).toBe('one, two')
    expect((await ask('GET', `${base}/new`, 'OPEN&offset=5&length=2')).text).toBe('tw')
    expect(await hdfs.getFileStatus(`${base}/new`)).toMatchObject({ replication: 2, permission: 0o600 })
    expect(await listNames(hdfs, base)).toEqual(['d', 'e', 'new'])
    await hdfs.delete(`${base}/new`)
  })

  test('R14: a body that is cut adds nothing to a file, and leaves none', async () => {
    await put('/cut', 'whole')
    const cut = () => cutBody(Buffer.alloc(100_000, 'x'), Buffer.alloc(100_000, 'y'))
    await ask('POST', `${base}/cut`, 'APPEND&data=true', { body: cut() }).catch(() => {})
    await ask('PUT', `${base}/cut`, 'CREATE&data=true&overwrite=true', { body: cut() }).catch(() => {})
    await ask('PUT', `${base}/new/cut`, 'CREATE&data=true', { body: cut() }).catch(() => {})
    expect(await readText(hdfs, `${base}/cut`)).toBe('whole')
    // A data node may make its file behind the cut; it is looked for again then.
    await expect.poll(() => listNames(hdfs, base)).toEqual(['cut', 'd', 'e'])
    await hdfs.delete(`${base}/cut`)
  })

  test('sixteen who append at a time all get in, each in one piece', async () => {
    await put('/log', '')
    const pieces = Array.from({ length: 16 }, (_, index) => `${String.fromCharCode(97 + index).repeat(1_000)}\n`)
    const answers = await Promise.all(pieces.map(body => ask('POST', `${base}/log`, 'APPEND', { body })))
    expect(answers.map(({ status }) => status)).toEqual(pieces.map(() => 200))
    const lines = (await readText(hdfs, `${base}/log`)).split('\n').slice(0, -1)
    expect(lines.map(line => `${line}\n`).sort()).toEqual(pieces)
    await hdfs.delete(`${base}/log`)
  })

  test('a snapshot of a mounted cluster has its path there', async () => {
    const directory = `${base}/snap`
    await hdfs.mkdirs(directory)
    expect((await ask('PUT', `/m${directory}`, 'ALLOWSNAPSHOT')).status).toBe(200)
    const made = await ask('PUT', `/m${directory}`, 'CREATESNAPSHOT&snapshotname=s1')
    expect(made.json).toEqual({ Path: `/m${directory}/.snapshot/s1` })
    const list = await ask('GET', `/m${directory}`, 'GETSNAPSHOTLIST')
    expect(list.text).toContain(`/m${directory}`)
    expect((await ask('DELETE', `/m${directory}`, 'DELETESNAPSHOT&snapshotname=s1')).status).toBe(200)
    expect((await ask('PUT', `/m${directory}`, 'DISALLOWSNAPSHOT')).status).toBe(200)
  })

  test('attributes go there and back, also several at a time', async () => {
    const path = `${base}/d/two`
    for (const name of ['user.a', 'user.b', 'user.c']) {
      const query = `SETXATTR&xattr.name=${name}&xattr.value=${encodeURIComponent('"1 & 2"')}&flag=CREATE`
      expect((await ask('PUT', path, query)).status).toBe(200)
    }
    expect((await ask('GET', path, 'GETXATTRS&xattr.name=user.a&xattr.name=user.c&encoding=text')).json).toEqual({
      XAttrs: [
        { name: 'user.a', value: '"1 & 2"' },
        { name: 'user.c', value: '"1 & 2"' },
      ],
    })
  })

  test('impersonation is impossible, and no token of the cluster leaks', async () => {
    const names = ['user.name', 'doas', 'DoAs', 'USER.NAME', 'delegation', 'Delegation', 'namenoderpcaddress']
    for (const name of names) {
      const answer = await ask('PUT', `${base}/d/two`, `SETXATTR&xattr.name=user.x${name}&flag=CREATE&${name}=nobody`)
      expect(answer.status, name).toBe(200)
    }
    // A second operation beside the one that is audited.
    await ask('PUT', `${base}/d/two`, 'SETXATTR&xattr.name=user.y&flag=CREATE&Op=DELETE&recursive=true')
    expect(await readText(hdfs, `${base}/d/two`)).toBe('two')
    for (const [method, op, status, exception] of [
      ['GET', 'GET_BLOCK_LOCATIONS', 400, 'UnsupportedOperationException'],
      // Those of this server are for who proves who he is.
      ['GET', 'GETDELEGATIONTOKEN&renewer=ann', 403, 'IOException'],
      ['PUT', 'RENEWDELEGATIONTOKEN&token=x', 403, 'IOException'],
      ['PUT', 'CANCELDELEGATIONTOKEN&token=x', 403, 'IOException'],
    ] as const) {
      const answer = await ask(method, '/', op)
      expect([op, answer.status, remoteOf(answer).exception]).toEqual([op, status, exception])
    }
  })

  test('nothing is moved between clusters, and the error of an unavailable one says that it may come back', async () => {
    const moved = await ask('PUT', `${base}/d/two`, `RENAME&destination=/m${base}/x`)
    expect([moved.status, remoteOf(moved).message]).toEqual([400, expect.stringContaining('different clusters')])
    const away = await ask('GET', '/away/x', 'GETFILESTATUS')
    expect([away.status, remoteOf(away).exception, away.headers.get('retry-after')]).toEqual([
      503,
      'RetriableException',
      '1',
    ])
    expect((await ask('GET', '/', 'LISTSTATUS')).status).toBe(200)
  })

  test('each mount has a trash of its own', async () => {
    expect((await ask('GET', '/m/x', 'GETTRASHROOT&user.name=ann')).json).toEqual({ Path: '/m/user/ann/.Trash' })
    expect((await ask('GET', '/x', 'GETTRASHROOT&user.name=ann')).json).toEqual({ Path: '/user/ann/.Trash' })
  })
})
