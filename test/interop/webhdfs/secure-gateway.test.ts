/** A secure cluster behind Sluice: what the collector puts there is read by the cluster's own people, by Hadoop's own tools. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebHdfsFileSystem } from '../../../src/filesystem/webhdfs.ts'
import { flat } from '../../suites/flat-filesystem.ts'
import { createSluice, ownProtocol, type Sluice } from '../../suites/sluice-process.ts'
import { describeSecureTools, startTools } from './hadoop-tools.ts'
import { delegationTokenOf, toServiceToken } from './secure-tokens.ts'

await describeSecureTools('a secure cluster behind Sluice', (hdfs, start) => {
  const events = `/events-${process.pid}-${Date.now()}`
  let sluice: Sluice
  const lines: string[] = []
  beforeAll(async () => {
    // The directory is the collector's, and its group, which alice is in and bob is not, may read.
    const token = await delegationTokenOf(hdfs, 'hdfs')
    const superuser = flat(createWebHdfsFileSystem({ urls: [hdfs.webhdfsUrl], token }))
    await superuser.mkdirs(events, { permission: 0o750 })
    await superuser.setOwner(events, { owner: 'sluice', group: 'alice' })
    await superuser.close()
    const rules = join(hdfs.krb5Config, '..', `rules-${process.pid}`)
    await writeFile(
      rules,
      `principal: "alice@${hdfs.realm}" roles: read\nprincipal: "*@${hdfs.realm}" roles: read,write\n`,
    )
    sluice = await createSluice({
      outputDirectory: events,
      env: { KRB5_CONFIG: hdfs.krb5Config },
      onLine: line => lines.push(line),
      settings: [
        `namenode.url=${hdfs.namenodeUrl}`,
        `namenode.webhdfs.url=${hdfs.webhdfsUrl}`,
        `namenode.kerberos.principal=sluice/localhost@${hdfs.realm}`,
        `namenode.kerberos.keytab=${hdfs.keytabs.sluice}`,
        'namenode.doas=caller',
        `auth.tokens=${rules}`,
        `auth.kerberos.keytab=${hdfs.keytabs.http}`,
      ],
    })
    await sluice.start()
  })
  afterAll(() => sluice?.close())
  const door = (path: string): string =>
    `${(sluice.urls()?.['server'] ?? '').replace('http://127.0.0.1', 'webhdfs://localhost')}${path}`

  test('only permitted users can read an event: HDFS decides that, and Sluice decides who they are', async () => {
    const load = sluice.load(1)
    await sluice.acknowledged(20)
    await load.stop()
    const [alice, bob] = await Promise.all([start('alice'), start('bob')])
    await expect.poll(async () => String((await alice.run('fs', ['-ls', '-R', door(events)])).out)).toMatch(/\.jsonl/)
    const listing = String((await alice.run('fs', ['-ls', '-R', door(events)])).out)
    const [path = ''] = /\/events-\S+\.jsonl/.exec(listing) ?? []
    const read = await alice.run('fs', ['-cat', door(path)])
    expect(read).toMatchObject({ code: 0, err: '' })
    expect(String(read.out)).toMatch(/^\{.*\}\n/)

    expect(await bob.run('fs', ['-cat', door(path)])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Permission denied: user=bob'),
    })
    // Alice could write there by her rights on the cluster; her rule lets her read.
    expect(await alice.run('fs', ['-put', '-', door(`/alice-${Date.now()}`)], 'x')).toMatchObject({
      code: 1,
      err: expect.stringContaining('role write'),
    })
  })

  test('what somebody makes is his, there and back, and only his', async () => {
    const file = `/of-bob-${process.pid}-${Date.now()}`
    const [alice, bob] = await Promise.all([start('alice'), start('bob')])
    expect(await bob.run('fs', ['-put', '-', door(file)], 'content')).toMatchObject({ code: 0, err: '' })
    expect(await bob.run('fs', ['-chmod', '600', door(file)])).toMatchObject({ code: 0 })
    expect(await bob.run('fs', ['-stat', '%u %a', door(file)])).toMatchObject({ out: Buffer.from('bob 600\n') })
    expect(await bob.run('fs', ['-cat', door(file)])).toMatchObject({ code: 0, out: Buffer.from('content') })
    expect(await alice.run('fs', ['-cat', door(file)])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Permission denied: user=alice'),
    })
    // What goes by way of a data node in another manner than bytes, and what is two files for a moment.
    expect(String((await bob.run('fs', ['-checksum', door(file)])).out)).toMatch(/CRC32C/)
    expect(await bob.run('fs', ['-appendToFile', '-', door(file)], ', more')).toMatchObject({ code: 0, err: '' })
    expect(await bob.run('fs', ['-cat', door(file)])).toMatchObject({ out: Buffer.from('content, more') })
    expect(await bob.run('fs', ['-setfattr', '-n', 'user.a', '-v', 'b', door(file)])).toMatchObject({ code: 0 })
    expect(String((await bob.run('fs', ['-getfattr', '-d', door(file)])).out)).toContain('user.a="b"')
    expect(await alice.run('fs', ['-getfattr', '-d', door(file)])).toMatchObject({ code: 1 })
    expect(await bob.run('fs', ['-rm', '-skipTrash', door(file)])).toMatchObject({ code: 0 })
  })

  test('a job has no ticket, but a token of Sluice', async () => {
    const file = `/of-job-${process.pid}-${Date.now()}`
    const { origin, port } = new URL(door('').replace('webhdfs:', 'http:'))
    const HADOOP_TOKEN = toServiceToken(await delegationTokenOf(hdfs, 'bob', origin), port)
    const job = await startTools({ KRB5_CONFIG: hdfs.krb5Config, KRB5CCNAME: 'FILE:/nonexistent', HADOOP_TOKEN })
    try {
      expect(await job.run('fs', ['-put', '-', door(file)], 'content')).toMatchObject({ code: 0, err: '' })
      expect(await job.run('fs', ['-cat', door(file)])).toMatchObject({ code: 0, out: Buffer.from('content') })
      expect(await job.run('fs', ['-rm', '-skipTrash', door(file)])).toMatchObject({ code: 0 })
    } finally {
      job.close()
    }
  })

  test("goes by HDFS' own protocol", () => {
    expect(new Set(sluice.ways)).toEqual(new Set([ownProtocol]))
  })

  test('S5: nothing that is printed holds a ticket or a token', () => {
    expect(lines.length).toBeGreaterThan(0)
    // What looks like one: an AP-REQ in base 64 begins with YII, a token of Hadoop has no spaces and some hundred characters.
    expect(lines.filter(line => /YII[\w+/]{40}|[\w-]{120}/.test(line))).toEqual([])
  })
})
