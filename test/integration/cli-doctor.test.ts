/** `sluice doctor` as a process: with what is broken, beside a server, and with HDFS. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Check } from '../../admin/cli/lib/doctor/check.ts'
import { makeCertificate } from '../bench/certificate.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { keytabEntry, keytabOf } from '../unit/kerberos/keytab-bytes.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
afterAll(cleanUp)

const free = { 'server.port': '0', 'admin.port': '0', 'collector.scribe.enabled': 'false' }

const doctor = (settings: Readonly<Record<string, string>>, words: readonly string[] = ['-o', 'json']) => {
  const cwd = createDirectory()
  const set = Object.entries({ ...free, ...settings }).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent' }
  return new Promise<{ code: number; stdout: string; stderr: string }>(done => {
    execFile(process.execPath, [bin, 'doctor', ...set, ...words], { cwd, env }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number((error as { code?: unknown }).code), stdout, stderr }),
    )
  })
}

const report = async (settings: Readonly<Record<string, string>>) => {
  const { code, stdout } = await doctor(settings)
  const { checks, first } = JSON.parse(stdout) as { checks: readonly Check[]; first: Check | null }
  return { code, first, checks, of: (name: string) => checks.find(check => check.name === name) }
}

const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

describe('without HDFS', () => {
  test('all is well: the disk and its sync are measured, nothing stays behind', async () => {
    const { code, checks, of } = await report({})
    expect({ code, bad: checks.filter(check => check.code === 'fail') }).toEqual({ code: 0, bad: [] })
    expect(of('data.dir, sync')?.message).toMatch(/^median [\d.]+ m?s, at most [\d.]+ m?s of 15$/)
    expect(of('settings')?.message).toBe('valid, 3 changed')
  })

  test('every mistake in the settings, with the nearest name; nothing else is tried', async () => {
    const { code, first, checks } = await report({ 'data.dri': 'x', 'admin.port': 'y' })
    expect({ code, names: checks.map(({ name }) => name) }).toEqual({ code: 1, names: ['settings', 'settings'] })
    expect(JSON.stringify(checks)).toContain('did you mean data.dir')
    expect(first?.name).toBe('settings')
  })

  test('a port that something else has fails, and one that a Sluice has does not', async () => {
    const other = createTcpServer(socket => socket.end('nonsense\r\n'))
    const port = await listen(other)
    const taken = await report({ 'server.port': String(port) })
    other.close()
    expect(taken.of(`port ${port}`)).toMatchObject({
      code: 'fail',
      message: expect.stringContaining('taken by another'),
    })
    expect(taken).toMatchObject({ code: 1, first: { name: `port ${port}` } })
    const words = Object.entries(free).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    const server = start(process.execPath, [bin, 'serve', ...words], { cwd: createDirectory() })
    const ready = await server.logged('sluice is ready')
    const [own, admin] = [new URL(String(ready['server'])).port, new URL(String(ready['admin'])).port]
    const beside = await report({ 'server.port': own, 'admin.port': admin })
    expect(beside.of(`port ${own}`)).toMatchObject({ code: 'ok', message: expect.stringContaining('a Sluice runs') })
    expect(beside.of(`port ${admin}`)).toMatchObject({ code: 'ok', message: expect.stringContaining('a Sluice runs') })
  })

  test('a directory that cannot be made, a certificate that is none, a broker that is not there', async () => {
    const { code, of } = await report({
      'data.dir': '/proc/sluice',
      'server.tls.cert': 'package.json',
      'server.tls.key': 'package.json',
      'realtime.broker': 'kafka://127.0.0.1:1',
    })
    expect(code).toBe(1)
    expect(of('data.dir')).toMatchObject({ code: 'fail', advice: expect.stringContaining('data.dir') })
    expect(of('server.tls.cert')).toMatchObject({ code: 'fail' })
    expect(of('broker, TCP')).toMatchObject({ code: 'warn' })
  })

  test('a key that is not that of its certificate, and a chain that does not hold', async () => {
    const [one, other] = [createDirectory(), createDirectory()].map(makeCertificate)
    if (!one || !other) throw new Error('two were made')
    const tls = async (cert: string, key: string) => {
      const { code, checks } = await report({ 'server.tls.cert': cert, 'server.tls.key': key })
      return [code, checks.filter(({ name }) => name.startsWith('server.tls')).map(check => [check.name, check.code])]
    }
    // For two days only.
    const cert = ['server.tls.cert', 'warn']
    expect(await tls(one.cert, one.key)).toEqual([0, [cert, ['server.tls.key', 'ok']]])
    expect(await tls(one.cert, other.key)).toEqual([1, [cert, ['server.tls.key', 'fail']]])
    expect(await tls(one.cert, one.cert)).toEqual([1, [cert, ['server.tls.key', 'fail']]])
    appendFileSync(one.cert, readFileSync(other.cert))
    expect(await tls(one.cert, one.key)).toEqual([
      0,
      [cert, ['server.tls.key', 'ok'], ['server.tls.key, chain', 'warn']],
    ])
  })

  test('keytabs: which has no key of its principal, which is none', async () => {
    const keytab = join(createDirectory(), 'keytab')
    writeFileSync(keytab, keytabOf([keytabEntry('HTTP/h@EXAMPLE')]))
    const mounts = JSON.stringify([
      { path: '/far', url: 'hdfs://127.0.0.1:9', kerberos: { principal: 'sluice@EXAMPLE', keytab: 'package.json' } },
    ])
    const tokens = join(createDirectory(), 'tokens')
    writeFileSync(tokens, '')
    const settings = {
      'auth.tokens': tokens,
      'namenode.url': 'hdfs://127.0.0.1:9',
      'namenode.kerberos.principal': 'sluice@EXAMPLE',
      mounts,
    }
    const { of } = await report({ ...settings, 'auth.kerberos.keytab': keytab, 'namenode.kerberos.keytab': keytab })
    expect(of('auth.kerberos.keytab')).toMatchObject({ code: 'ok' })
    expect(of('namenode.kerberos.keytab')).toMatchObject({
      code: 'fail',
      message: expect.stringContaining('no key of sluice@EXAMPLE, but HTTP/h@EXAMPLE'),
      advice: expect.stringContaining('ktadd'),
    })
    expect(of('mounts /far')).toMatchObject({ code: 'fail', message: expect.stringContaining('package.json') })
  })

  test('mounts: each step by step', async () => {
    const directory = createDirectory()
    const mounts = JSON.stringify([
      { path: '/here', url: `file:${directory}` },
      { path: '/gone', url: 'file:/proc/nothing' },
      { path: '/far', url: 'hdfs://127.0.0.1:9' },
    ])
    const { code, checks, of } = await report({ mounts })
    expect(code).toBe(1)
    expect(of('mount /here')).toMatchObject({ code: 'ok', message: 'may be listed' })
    expect(of('mount /gone')).toMatchObject({ code: 'fail' })
    expect(checks.find(({ name }) => /^mount \/far, NameNode .*, TCP$/.test(name))).toMatchObject({
      code: 'fail',
      advice: expect.stringContaining('mount /far of mounts'),
    })
    expect(of('mount /far')).toMatchObject({ code: 'fail', message: 'no active NameNode' })
  })

  test('the text ends with what to mend first', async () => {
    const { code, stdout, stderr } = await doctor({ 'namenode.url': 'hdfs://127.0.0.1:1' }, [])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /✗ NameNode 127\.0\.0\.1:\d+, TCP: .*connection refused\n[\s\S]*\nMend first: NameNode 127\.0\.0\.1:\d+, TCP\. Is it running/,
    )
    expect(stderr).toMatch(/^✗ \d+ checks failed\n$/)
  })

  const nameNode = async (answer: (url: string) => [number, string, Record<string, string>?]) => {
    const server = createServer((request, response) => {
      const [status, text, headers] = answer(request.url ?? '')
      response.writeHead(status, headers).end(text)
    })
    const port = await listen(server)
    const result = await report({ 'namenode.url': 'hdfs://h:1', 'namenode.webhdfs.url': `http://127.0.0.1:${port}` })
    server.close()
    server.closeAllConnections()
    return { ...result, of: (name: string) => result.of(`NameNode 127.0.0.1:${port}, ${name}`), any: result.of }
  }

  test('what answers is no NameNode; one is in standby; its clock is another', async () => {
    expect((await nameNode(() => [404, '<html>'])).of('WebHDFS')).toMatchObject({
      code: 'fail',
      message: 'HTTP 404, which is not WebHDFS',
    })
    const standby = '{"RemoteException":{"exception":"StandbyException","message":"no"}}'
    const { of, any } = await nameNode(() => [403, standby, { date: 'Thu, 01 Jan 2009 00:00:00 GMT' }])
    expect(of('WebHDFS')).toMatchObject({ code: 'warn', message: 'is in standby' })
    expect(any('clock')).toMatchObject({ code: 'warn', message: expect.stringMatching(/^\d+ d .*ahead of NameNode/) })
    expect(any('file system')).toMatchObject({ code: 'fail', message: 'no active NameNode' })
  })

  test('a DataNode that cannot be reached is told apart from a NameNode that says no', async () => {
    const status =
      '{"pathSuffix":"","type":"DIRECTORY","length":0,"owner":"o","group":"g","permission":"755","accessTime":0,"modificationTime":0,"blockSize":0,"replication":0}'
    const { any, code } = await nameNode(url => {
      if (url.includes('op=CREATE')) return [307, '', { location: 'http://127.0.0.1:1/webhdfs/v1/x' }]
      if (url.includes('op=MKDIRS') || url.includes('op=DELETE'))
        return [200, '{"boolean":true}', { 'content-type': 'application/json' }]
      if (url.includes('op=LISTSTATUS')) {
        const text = `{"FileStatuses":{"FileStatus":[]}}`
        return [
          200,
          url.includes('BATCH') ? `{"DirectoryListing":{"partialListing":${text},"remainingEntries":0}}` : text,
          { 'content-type': 'application/json' },
        ]
      }
      return [200, `{"FileStatus":${status}}`, { 'content-type': 'application/json' }]
    })
    expect(code).toBe(1)
    expect(any('mkdir /events')).toMatchObject({ code: 'ok' })
    expect(any('write, read')).toMatchObject({ code: 'fail', advice: expect.stringContaining('DataNode') })
    expect(any('delete')).toMatchObject({ code: 'ok' })
  })
})

describeHdfs('doctor with HDFS', hdfs => {
  test('step by step to a small file, which is gone again', async () => {
    const { code, checks, of } = await report({
      'namenode.url': hdfs.namenodeUrl,
      'namenode.webhdfs.url': hdfs.webhdfsUrl,
    })
    expect(checks.filter(check => check.code === 'fail')).toEqual([])
    expect(code).toBe(0)
    for (const name of ['list /', 'mkdir /events', 'write, read', 'delete'])
      expect(of(name)).toMatchObject({ code: 'ok' })
    expect(of('clock')).toMatchObject({ code: 'ok' })
  })
})
