/** Delegation tokens of Sluice in the hands of Hadoop's own clients, with and without a ticket. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import type { KeytabName } from '../../../scripts/hdfs/secure-cluster.ts'
import { decodeHadoopToken, encodeHadoopToken } from '../../../src/formats/hadoop-token.ts'
import { createSluice, type Sluice } from '../../suites/sluice-process.ts'
import { describeSecureTools, type HadoopTools, type Printed, startTools } from './hadoop-tools.ts'

const timeout = 600_000

await describeSecureTools("Hadoop's clients with delegation tokens of Sluice", (hdfs, start) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-delegation-'))
  const lines: string[] = []
  let sluice: Sluice
  let port = 0

  beforeAll(async () => {
    ;[port = 0] = await findFreePorts(1)
    const rules = [`principal: "alice@${hdfs.realm}" roles: read,write`, `principal: "bob@${hdfs.realm}" roles: read`]
    writeFileSync(join(directory, 'tokens'), rules.join('\n'))
    sluice = await createSluice({
      settings: [
        'services=gateway',
        `server.port=${port}`,
        `auth.tokens=${join(directory, 'tokens')}`,
        `auth.kerberos.keytab=${hdfs.keytabs.http}`,
      ],
      env: { KRB5_CONFIG: hdfs.krb5Config },
      onLine: line => void lines.push(line),
    })
    await sluice.start()
  })
  afterAll(async () => {
    await sluice?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const url = (path: string, at = port): string => `webhdfs://localhost:${at}${path}`
  /** Tokens that are out. */
  const known = (): readonly string[] => {
    const home = join(sluice.directory, 'delegation-tokens')
    return existsSync(home) ? readdirSync(home) : []
  }
  /** What the audit has printed of a name, and was read here so far: the last lines may come after the command has ended. */
  const auditOf = (who: string): readonly string[] =>
    lines
      .filter(line => line.includes('"msg":"gateway"') && line.includes(`"who":"${who}"`))
      .map(line => (JSON.parse(line) as { operation: string }).operation)

  /** A file with a token of somebody, and clients that have nothing else. */
  const fetchToken = async (who: KeytabName, renewer = 'alice'): Promise<string> => {
    const file = join(directory, `${who}-${renewer}-${lines.length}`)
    const tools = await start(who)
    const printed = await tools.run('fetchdt', ['--webservice', `http://localhost:${port}`, '--renewer', renewer, file])
    expect(printed).toMatchObject({ code: 0, err: '' })
    return file
  }
  const withoutTicket = async (file?: string): Promise<HadoopTools> => {
    const tools = await startTools({
      KRB5_CONFIG: hdfs.krb5Config,
      KRB5CCNAME: `FILE:${join(directory, 'none')}`,
      ...(file !== undefined && { HADOOP_TOKEN_FILE_LOCATION: file }),
    })
    onTestFinished(() => tools.close())
    return tools
  }
  const good = (content: string) => ({ code: 0, out: Buffer.from(content), err: '' })
  const cat = (tools: HadoopTools, path: string, at = port): Promise<Printed> =>
    tools.run('fs', ['-cat', url(path, at)])

  test('with a ticket the shell gets a token for each command, uses it, and cancels it', {
    timeout,
  }, async () => {
    const alice = await start('alice')
    const before = known()
    const earlier = auditOf('alice').length
    const counted = (operation: string): number =>
      auditOf('alice')
        .slice(earlier)
        .filter(op => op === operation).length
    expect(await alice.run('fs', ['-put', '-f', '-', url('/of-alice')], 'content')).toEqual(good(''))
    expect(await cat(alice, '/of-alice')).toEqual(good('content'))
    expect(await alice.run('fs', ['-ls', url('/of-alice')])).toMatchObject({ code: 0, err: '' })
    expect(known()).toEqual(before)
    await expect.poll(() => counted('CANCELDELEGATIONTOKEN')).toBe(3)
    expect(counted('GETDELEGATIONTOKEN')).toBe(3)
    expect(counted('CREATE')).toBe(1)
  })

  test('who may only read reads by one, writes nothing, and leaves none behind', { timeout }, async () => {
    const bob = await start('bob')
    const before = known()
    expect(await cat(bob, '/of-alice')).toEqual(good('content'))
    const refused = await bob.run('fs', ['-put', '-f', '-', url('/of-alice')], 'other')
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('lacks the role write') })
    expect(known()).toEqual(before)
  })

  test('a token alone is enough, also when the server was killed since, until it is cancelled', {
    timeout,
  }, async () => {
    const file = await fetchToken('alice')
    const job = await withoutTicket(file)
    expect(await job.run('fs', ['-put', '-f', '-', url('/of-job')], 'by a token')).toEqual(good(''))
    expect(await cat(job, '/of-job')).toEqual(good('by a token'))
    await sluice.kill()
    await sluice.start()
    expect(await cat(job, '/of-job')).toEqual(good('by a token'))

    const [alice, bob] = await Promise.all([start('alice'), start('bob')])
    expect((await alice.run('fetchdt', ['--print', file])).out.toString()).toMatch(
      /^Token \(WEBHDFS delegation token \d+ for alice with renewer alice\) for 127\.0\.0\.1:\d+$/m,
    )
    expect(auditOf('alice')).not.toContain('RENEWDELEGATIONTOKEN')
    expect(await alice.run('fetchdt', ['--renew', file])).toMatchObject({ code: 0, err: '' })
    await expect.poll(() => auditOf('alice').filter(op => op === 'RENEWDELEGATIONTOKEN')).toHaveLength(1)
    expect(await bob.run('fetchdt', ['--renew', file])).toMatchObject({
      code: -1,
      err: expect.stringContaining('non-matching renewer alice'),
    })
    expect(await bob.run('fetchdt', ['--cancel', file])).toMatchObject({
      code: -1,
      err: expect.stringContaining('not authorized to cancel'),
    })
    expect(await cat(job, '/of-job')).toEqual(good('by a token'))
    expect(await alice.run('fetchdt', ['--cancel', file])).toMatchObject({ code: 0, err: '' })
    expect(await cat(job, '/of-job')).toMatchObject({
      code: 1,
      out: Buffer.of(),
      err: expect.stringContaining("can't be found in cache"),
    })
  })

  test('without ticket and token nothing goes', { timeout }, async () => {
    expect(await cat(await withoutTicket(), '/of-alice')).toMatchObject({ code: 1, out: Buffer.of() })
  })

  test('a client with a ticket whose token is over fetches another one', { timeout }, async () => {
    const spoiling = await startSpoiling(port)
    onTestFinished(() => void spoiling.server.close())
    const at = (spoiling.server.address() as AddressInfo).port
    const fetched = (): number => auditOf('alice').filter(op => op === 'GETDELEGATIONTOKEN').length
    const earlier = fetched()
    expect(await cat(await start('alice'), '/of-alice', at)).toEqual(good('content'))
    expect(spoiling.spoilt()).toBe(1)
    await expect.poll(() => fetched() - earlier).toBeGreaterThan(1)
  })

  test('distcp brings its own to both sides, and leaves none behind', { timeout }, async () => {
    const alice = await start('alice')
    const source = `${hdfs.namenodeUrl}/delegation-${process.pid}`
    expect(await alice.run('fs', ['-put', '-f', '-', source], 'copied')).toMatchObject({ code: 0 })
    const before = known()
    const renewer = `yarn.resourcemanager.principal=alice@${hdfs.realm}`
    const args = ['-D', renewer, '-D', 'mapreduce.client.completion.pollinterval=50', '-skipcrccheck', '-update']
    expect(await alice.run('distcp', [...args, source, url('/copied')])).toMatchObject({ code: 0, err: '' })
    expect(await cat(alice, '/copied')).toEqual(good('copied'))
    expect(known().length - before.length).toBeLessThanOrEqual(1)
  })

  test('the server printed no token', async () => {
    const file = await fetchToken('alice')
    expect(existsSync(file)).toBe(true)
    expect(lines.join('\n')).not.toMatch(/(delegation|token)=(?!\(hidden\))[\w-]{20}/)
  })
})

/** A server in front of one that takes the password of the first delegation token for another. */
const startSpoiling = async (port: number): Promise<{ server: Server; spoilt: () => number }> => {
  let spoilt = 0
  const spoil = (text: string): string => {
    if (spoilt > 0) return text
    spoilt++
    const { password, ...rest } = decodeHadoopToken(text)
    return encodeHadoopToken({ ...rest, password: password.map(byte => byte ^ 1) })
  }
  const server = createServer((from, to) => {
    const path = (from.url ?? '/').replace(/(?<=[?&]delegation=)[\w-]+/, spoil)
    const onward = request({ host: 'localhost', port, path, method: from.method, headers: from.headers }, answer => {
      to.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
      answer.pipe(to)
    })
    from.pipe(onward)
  })
  await new Promise<void>(done => server.listen(0, 'localhost', done))
  return { server, spoilt: () => spoilt }
}
