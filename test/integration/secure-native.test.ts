/** The whole server before a secure HDFS, by HDFS' own protocol, while tokens end: those of the server, and those of blocks. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpcClient } from '../../admin/client/rpc-client.ts'
import { principals, type SecureCluster, startSecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import { type Kdc, startKdc } from '../../scripts/kerberos/kdc.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { tokenLives } from '../oracle/realm.ts'
import { download, toBytes, upload } from '../suites/cut-transfers.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { runCli } from '../suites/run-cli.ts'
import { describeOwnSecureHdfs, ticketFor } from '../suites/secure-hdfs.ts'
import { createSluice, ownProtocol, type Sluice } from '../suites/sluice-process.ts'

/** Of a delegation token: until it is renewed, and in all. */
const lifeMs = 2_400
const livesOfToken = 3
/** Minutes: in Java they are so many that their milliseconds overflow, and come out as 3 200. The shortest life is a minute. */
const blockTokenMinutes = '514971605391058316'
/** More than the buffers of sockets hold, in several blocks. */
const fileBytes = 32 * 2 ** 20
const blockBytes = 4 * 2 ** 20
const timeout = 180_000

await describeOwnSecureHdfs('a secure HDFS by its own protocol', () => {
  let kdc: Kdc
  let hdfs: SecureCluster
  let sluice: Sluice
  let settings: readonly string[] = []
  const lines: string[] = []
  beforeAll(async () => {
    kdc = await startKdc()
    hdfs = await startSecureCluster({
      kdc,
      properties: {
        ...tokenLives(lifeMs, livesOfToken * lifeMs),
        'dfs.block.access.token.lifetime': blockTokenMinutes,
        'dfs.blocksize': String(blockBytes),
      },
    })
    settings = [
      `namenode.url=${hdfs.namenodeUrl}`,
      `namenode.webhdfs.url=${hdfs.webhdfsUrl}`,
      `namenode.kerberos.principal=${principals.sluice}@${kdc.realm}`,
      `namenode.kerberos.keytab=${hdfs.keytabs.sluice}`,
    ]
    const env = { KRB5_CONFIG: kdc.krb5Config }
    sluice = await createSluice({ settings, env, onLine: line => lines.push(line) })
    await sluice.start()
  }, timeout)
  afterAll(async () => {
    await sluice?.close()
    await hdfs?.stop()
    await kdc?.stop()
  })

  const fetchToken = async (): Promise<string> => {
    const url = `${hdfs.webhdfsUrl}/webhdfs/v1/?op=GETDELEGATIONTOKEN`
    const env = { ...process.env, ...(await ticketFor({ ...hdfs, krb5Config: kdc.krb5Config }, 'hdfs')) }
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--negotiate', '-u', ':', url], { env })
    return (JSON.parse(stdout) as { readonly Token: { readonly urlString: string } }).Token.urlString
  }
  /** Until a token that is not renewed has ended, and the same time again: so long that the server's has ended, too. */
  const untilTokensEnd = async (): Promise<void> => {
    for (let life = 0; life <= livesOfToken; life++) {
      const query = new URLSearchParams({ op: 'GETHOMEDIRECTORY', delegation: await fetchToken() })
      const statusOf = async () => (await fetch(`${hdfs.webhdfsUrl}/webhdfs/v1/?${query.toString()}`)).status
      expect(await statusOf()).toBe(200)
      await expect.poll(statusOf, { timeout: 10 * lifeMs }).toBe(403)
    }
  }
  const fetched = (): number => lines.filter(line => line.includes('a delegation token was fetched')).length
  const base = (): string => sluice.urls()?.['server'] ?? ''
  const bytes = toBytes(1, fileBytes)

  /** By the gateway's own routes, and by the WebHDFS API. */
  describe.each(['/lives-0', '/lives-1'])('a file at %s', path => {
    test('is written while they end', { timeout }, async () => {
      const before = fetched()
      expect(await upload(base(), path, bytes, { isChunked: true, atHalf: untilTokensEnd })).toBe('whole')
      expect(fetched()).toBeGreaterThan(before)
    })

    test('is read while they end', { timeout }, async () => {
      expect(await download(base(), path, bytes, untilTokensEnd)).toBe('whole')
    })
  })

  test('continues after a pause longer than their lifetime', { timeout }, async () => {
    await untilTokensEnd()
    expect(await download(base(), '/lives-0', bytes)).toBe('whole')
    await untilTokensEnd()
    expect(await upload(base(), '/after', bytes.subarray(0, blockBytes + 1))).toBe('whole')
    expect(await download(base(), '/after', bytes.subarray(0, blockBytes + 1))).toBe('whole')
  })

  test('takes events, each once', { timeout }, async () => {
    const load = sluice.load(2)
    await sluice.acknowledged(500)
    await untilTokensEnd()
    await load.stop()
    await drainFully(sluice)
    const store = await openHdfsStore(hdfs.webhdfsUrl, async () => ({ delegation: await fetchToken() }))
    const { lost, twice, unknown } = await sluice.reckon(store)
    expect({ lost, twice, unknown }).toEqual(allIsWell)
    await sluice.start()
  })
  const admin = (): string => sluice.urls()?.['admin'] ?? ''

  test('says everywhere which way it goes, and went no other', async () => {
    await fetch(`${base()}/rest/1.0/json?path=/&content=false`).then(answer => answer.text())
    const bean = await createRpcClient({ url: admin() }).read('sluice.metrics.filesystem:name=FileSystem,path=/')
    expect(bean.value).toMatchObject({ SpokenBy: ownProtocol })
    const health = await fetch(`${admin()}/1.0/healthcheck`)
    expect(await health.text()).toContain(`spoken to by ${ownProtocol}, `)
    const ports = [
      'server.port=0',
      'admin.port=0',
      'collector.scribe.enabled=false',
      `data.dir=${join(kdc.directory, 'doctor')}`,
    ]
    const words = [...settings, ...ports].flatMap(setting => ['--set', setting])
    const { stdout } = await runCli(['doctor', '-o', 'json', ...words], { env: { KRB5_CONFIG: kdc.krb5Config } })
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { name: string; message: string }[] }
    expect(checks.find(({ name }) => name === 'way')).toMatchObject({ message: ownProtocol })
    expect(new Set(sluice.ways)).toEqual(new Set([ownProtocol]))
  })
})
