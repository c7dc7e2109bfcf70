/** `sluice doctor` as a process: with what is broken, beside a server, and with HDFS. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { DoctorCheck } from '../../admin/cli/doctor/check.ts'
import { makeCertificate } from '../bench/certificate.ts'
import { startFakeCatalog } from '../suites/fake-rest-catalog.ts'
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
  const { checks, first } = JSON.parse(stdout) as { checks: readonly DoctorCheck[]; first: DoctorCheck | null }
  return { code, first, checks, of: (name: string) => checks.find(check => check.name === name) }
}

const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

describe('the catalog of tables', () => {
  const tables = { 'collector.output.format': 'parquet', 'collector.output.table': 'iceberg' }
  const secret = { 'collector.output.rest.token': 'hunter2' }
  const look = async (uri: string) => {
    const { checks, of } = await report({ ...tables, ...secret, 'collector.output.catalog': uri })
    expect(JSON.stringify(checks)).not.toContain('hunter2')
    return of('catalog of tables')
  }

  test('is asked for the namespace', async () => {
    const { url, namespaces } = await startFakeCatalog()
    expect(await look(url)).toMatchObject({ code: 'ok', message: 'answers; the namespace events will be made' })
    namespaces.add('events')
    expect(await look(url)).toMatchObject({ code: 'ok', message: 'answers, and has the namespace events' })
    expect((await report(tables)).of('catalog of tables')).toBeUndefined()
  })

  test.each([
    [401, /did not give its configuration: status 401/, /collector\.output\.rest\.token/],
    [404, /did not give its configuration: status 404/, /what its clients call its uri/],
  ])('that answers %s fails, with what to do', async (status, message, advice) => {
    const { url } = await startFakeCatalog({ fail: () => ({ status }) })
    expect(await look(url)).toEqual({
      name: 'catalog of tables',
      code: 'fail',
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    })
  })

  test('that is away fails, too', async () => {
    const message = expect.stringContaining('http://127.0.0.1:1/v1/config gave no answer')
    expect(await look('http://127.0.0.1:1')).toMatchObject({ code: 'fail', message })
  })
})

describe('beside a server', () => {
  const tls = makeCertificate(createDirectory())
  const freePort = async (): Promise<string> => {
    const server = createTcpServer()
    const port = await listen(server)
    server.close()
    return String(port)
  }
  const run = async (settings: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) => {
    const names = ['server.port', 'admin.port', 'collector.scribe.port']
    const ports = {
      ...Object.fromEntries(await Promise.all(names.map(async name => [name, await freePort()]))),
      ...more,
    }
    const all: Readonly<Record<string, string>> = { 'data.dir': join(createDirectory(), 'data'), ...ports, ...settings }
    const words = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    const server = start(process.execPath, [bin, 'serve', ...words], { cwd: createDirectory() })
    await server.logged('sluice is ready')
    return { server, all, report: () => report(all) }
  }

  test.each([
    ['all on one port, with Scribe', async () => ({})],
    ['the gateway on a port of its own', async () => ({ 'gateway.port': await freePort() })],
    [
      'TLS',
      async () => ({
        'server.tls.cert': tls.cert,
        'server.tls.key': tls.key,
        'admin.tls.cert': tls.cert,
        'admin.tls.key': tls.key,
      }),
    ],
    ['the gateway alone', async () => ({ services: 'gateway' })],
    ['the collector alone', async () => ({ services: 'collector' })],
  ])('all is well with a healthy one: %s', async (_, more) => {
    const { report, server, all } = await run({ 'collector.scribe.enabled': 'true', ...(await more()) })
    const { code, checks } = await report()
    // The certificate is good for two days only.
    const bad = checks.filter(check => check.code !== 'ok' && !check.name.endsWith('tls.cert'))
    expect({ code, bad }).toEqual({ code: 0, bad: [] })
    const ports = Object.keys(all).filter(key => key.endsWith('.port'))
    const ours = checks.filter(({ message }) => message.startsWith('a Sluice runs there'))
    expect(ours).toHaveLength(all['services'] === 'gateway' ? ports.length - 1 : ports.length)
    server.process.kill()
  })

  test('a Scribe port that something else has', async () => {
    for (const answer of ['nonsense\r\n', '\0\0\0\u0004abcd', '']) {
      const other = createTcpServer(socket => {
        socket.on('error', () => {})
        if (answer === '') socket.destroy()
        else socket.end(answer)
      })
      const port = String(await listen(other))
      const { of } = await report({ 'collector.scribe.enabled': 'true', 'collector.scribe.port': port })
      other.close()
      expect(of(`port ${port}`)).toMatchObject({ code: 'fail', message: expect.stringContaining('another process') })
    }
  })

  test('a disk below the mark comes first, with both figures, the setting and two ways out', async () => {
    const { report, server } = await run({ 'collector.diskspool.min-free-bytes': String(2 ** 50) })
    const { code, first, of } = await report()
    expect(code).toBe(1)
    expect(first).toMatchObject({
      name: 'data.dir, space',
      code: 'fail',
      message: expect.stringMatching(
        /^[\d.]+ [GT]B free; below 1\.1 PB \(collector\.diskspool\.min-free-bytes\).* 503$/,
      ),
      advice: expect.stringMatching(/collector\.diskspool\.path.*Or lower collector\.diskspool\.min-free-bytes/),
    })
    expect(of('events')).toMatchObject({ code: 'fail', message: expect.stringMatching(/503: .*free/) })
    server.process.kill()
  })

  test('a spool on a disk of its own is held against the mark as well, the default one too', async () => {
    const elsewhere = { 'collector.diskspool.path': '/dev/shm/sluice-doctor' }
    const { of } = await report({ ...elsewhere, 'collector.diskspool.min-free-bytes': String(2 ** 50) })
    expect(of('collector.diskspool.path, space')).toMatchObject({ code: 'fail' })
    expect(of('data.dir, space')).toMatchObject({ code: 'ok' })
  })

  test('a drained collector', async () => {
    const { report, server, all } = await run({})
    const drain = ['drain', '--url', `http://127.0.0.1:${all['admin.port']}`]
    await new Promise(done => execFile(process.execPath, [bin, ...drain], done))
    expect((await report()).of('events')).toMatchObject({
      code: 'fail',
      message: expect.stringContaining('drained'),
      advice: expect.stringMatching(/sluice drain --undo.* or /),
    })
    server.process.kill()
  })

  const refusing = async (answers: Readonly<Record<string, readonly [number, string]>>) => {
    const server = createServer((request, response) => {
      const [status, text] = answers[(request.url ?? '').split('?', 1).join()] ?? [200, 'sluice']
      response.writeHead(status).end(text)
    })
    const port = String(await listen(server))
    const result = await report({ 'server.port': port })
    server.close()
    server.closeAllConnections()
    return result
  }
  const lost = { type: 'WriterHealthCheck', code: 'ERROR', message: 'lost: 3 events of 7.log' }
  const full = '256 of at most 256 reads are in progress (gateway.max-reads); retry later'
  test.each([
    ['a disk', { '/readyz': [503, '/d has 4 MB free; 5000 MB are kept'] }, 'events', /4 MB free/, /min-free-bytes/],
    ['a stop', { '/readyz': [503, 'draining'] }, 'events', /draining/, /start it again, or /],
    [
      'a spool that fails',
      { '/readyz': [503, 'the spool cannot be written: EIO'] },
      'events',
      /EIO/,
      /Repair the disk.* Or .*collector\.diskspool\.path/,
    ],
    ['something new', { '/readyz': [503, 'tired'] }, 'events', /tired/, /, or restart it/],
    [
      'a full queue',
      { '/1': [503, ''] },
      'events',
      /200 000 events \(collector\.max-event-queue-size\) or 268 MB \(collector\.max-inflight-bytes\)/,
      /Raise .*, or spread/,
    ],
    [
      'events that are lost',
      { '/1.0/healthcheck': [503, JSON.stringify({ items: [lost] })] },
      'health, Writer',
      /lost: 3 events/,
      /sluice spool verify.* Or /,
    ],
    [
      'reads',
      { '/rest/1.0/json': [503, JSON.stringify({ detail: full })] },
      'reads',
      /256 of at most 256/,
      /Raise.*, or /,
    ],
    ['a file system', { '/rest/1.0/json': [503, JSON.stringify({ detail: 'refused' })] }, 'reads', /refused/, /, or /],
  ] as const)('each cause of a 503: %s', async (_, answers, name, message, advice) => {
    const { code, of } = await refusing(answers)
    expect(code).toBe(1)
    expect(of(name)).toMatchObject({
      code: 'fail',
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    })
  })
})

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

  test('a directory that cannot be created, an invalid certificate, a broker that does not exist', async () => {
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

  test('keytabs: one without a key of its principal, and an invalid one', async () => {
    const keytab = join(createDirectory(), 'keytab')
    writeFileSync(keytab, keytabOf([keytabEntry('HTTP/h@EXAMPLE')]))
    const clusters = JSON.stringify([
      { path: '/far', url: 'hdfs://127.0.0.1:9', kerberos: { principal: 'sluice@EXAMPLE', keytab: 'package.json' } },
    ])
    const tokens = join(createDirectory(), 'tokens')
    writeFileSync(tokens, '')
    const settings = {
      'auth.tokens': tokens,
      'namenode.url': 'hdfs://127.0.0.1:9',
      'namenode.kerberos.principal': 'sluice@EXAMPLE',
      clusters,
    }
    const { of } = await report({ ...settings, 'auth.kerberos.keytab': keytab, 'namenode.kerberos.keytab': keytab })
    expect(of('auth.kerberos.keytab')).toMatchObject({ code: 'ok' })
    expect(of('namenode.kerberos.keytab')).toMatchObject({
      code: 'fail',
      message: expect.stringContaining('no key for sluice@EXAMPLE, but HTTP/h@EXAMPLE'),
      advice: expect.stringContaining('ktadd'),
    })
    expect(of('clusters /far')).toMatchObject({ code: 'fail', message: expect.stringContaining('package.json') })
  })

  test('clusters: each step by step', async () => {
    const directory = createDirectory()
    const clusters = JSON.stringify([
      { path: '/here', url: `file:${directory}` },
      { path: '/gone', url: 'file:/proc/nothing' },
      { path: '/far', url: 'hdfs://127.0.0.1:9' },
    ])
    const { code, checks, of } = await report({ clusters })
    expect(code).toBe(1)
    expect(of('mount /here')).toMatchObject({ code: 'ok', message: 'may be listed' })
    expect(of('mount /gone')).toMatchObject({ code: 'fail' })
    expect(checks.find(({ name }) => /^mount \/far, NameNode .*, TCP$/.test(name))).toMatchObject({
      code: 'fail',
      advice: expect.stringContaining('mount /far of clusters'),
    })
    expect(of('mount /far')).toMatchObject({ code: 'fail', message: 'no active NameNode' })
  })

  test('the text ends with what to mend first', async () => {
    const { code, stdout, stderr } = await doctor({ 'namenode.url': 'hdfs://127.0.0.1:1' }, [])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /✗ NameNode 127\.0\.0\.1:1, RPC: connection refused\n[\s\S]*✗ NameNode 127\.0\.0\.1:\d+, TCP: .*connection refused\n[\s\S]*\nFix first: NameNode 127\.0\.0\.1:1, RPC\. Is that its RPC port/,
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

  test('the server is not a NameNode; one is in standby; its clock is off', async () => {
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

  test('an unreachable DataNode is distinguished from a NameNode that refuses', async () => {
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
  test.for([
    ['auto', hdfs.namenodeUrl, /^its own protocol$/],
    ['auto', 'hdfs://127.0.0.1:1', /^WebHDFS: .*127\.0\.0\.1:1 failed with ECONNREFUSED/],
    ['webhdfs', hdfs.namenodeUrl, undefined],
  ] as const)('with the protocol %s at %s it says which way is taken and why', async ([protocol, url, way]) => {
    const { code, of } = await report({
      'namenode.url': url,
      'namenode.webhdfs.url': hdfs.webhdfsUrl,
      'namenode.protocol': protocol,
    })
    expect(code).toBe(0)
    if (way === undefined) expect(of('way')).toBe(undefined)
    else expect(of('way')).toMatchObject({ code: 'ok', message: expect.stringMatching(way) })
  })

  test.for([
    ['auto', 'warn'],
    ['native', undefined],
  ] as const)('where WebHDFS is closed, its own protocol is enough: %s', async ([protocol, code]) => {
    const { checks, of, ...result } = await report({
      'namenode.url': hdfs.namenodeUrl,
      'namenode.webhdfs.url': 'http://127.0.0.1:1',
      'namenode.protocol': protocol,
    })
    expect(result.code).toBe(0)
    expect(of(`NameNode ${new URL(hdfs.namenodeUrl).host}, RPC`)).toMatchObject({ code: 'ok' })
    expect(checks.find(({ name }) => name === 'NameNode 127.0.0.1:1, TCP')?.code).toBe(code)
    for (const name of ['list /', 'write, read', 'delete']) expect(of(name)).toMatchObject({ code: 'ok' })
  })

  // The cluster has one DataNode.
  test.for([
    [
      'as it is by default',
      {},
      'fail',
      /^1 of 3 DataNodes have a synced file$/,
      /Without 2 no event .*replicated\.min/,
    ],
    ['one copy is enough', { min: '1' }, 'warn', /^1 of 3 /, /missing DataNodes/],
    ['one copy is wanted', { min: '1', replication: '1', sync: 'hflush' }, 'ok', /^1 of 1 DataNodes/, /^$/],
  ] as const)('a log in HDFS needs DataNodes: %s', async ([, more, code, message, advice]) => {
    const { of, checks } = await report({
      'namenode.url': hdfs.namenodeUrl,
      'namenode.webhdfs.url': hdfs.webhdfsUrl,
      'collector.ack': 'replicated',
      ...Object.fromEntries(Object.entries(more).map(([key, value]) => [`collector.replicated.${key}`, value])),
    })
    expect(of('log in HDFS')).toMatchObject({
      code,
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    })
    expect(checks.filter(check => check.code === 'fail' && check.name !== 'log in HDFS')).toEqual([])
  })

  test('a log in HDFS needs its own protocol', async () => {
    const { of } = await report({
      'namenode.url': 'hdfs://127.0.0.1:1',
      'namenode.webhdfs.url': hdfs.webhdfsUrl,
      'collector.ack': 'replicated',
    })
    expect(of('log in HDFS')).toMatchObject({ code: 'fail', advice: expect.stringContaining("HDFS' own protocol") })
  })

  test("Hadoop's configuration that is not there is named", async () => {
    const { of } = await report({ 'namenode.url': 'hdfs://pair', 'namenode.hadoop-conf': '/nowhere' })
    expect(of('namenode.hadoop-conf')).toMatchObject({
      code: 'fail',
      message: expect.stringContaining('Cannot use /nowhere: expected core-site.xml'),
    })
  })

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
