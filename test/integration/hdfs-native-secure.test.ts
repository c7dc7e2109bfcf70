/** HDFS by its own protocol where name nodes and data nodes want a proof: tokens, of blocks too. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { missingForSecureCluster, type SecureCluster, startSecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import { type Kdc, startKdc } from '../../scripts/kerberos/kdc.ts'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { chunksOf, expectCode, readText } from '../suites/filesystem.ts'
import { flat } from '../suites/flat-filesystem.ts'
import { describeUnless } from '../suites/kerberos.ts'
import { ticketFor } from '../suites/secure-hdfs.ts'

const missing = (await missingForSecureCluster()) ?? (await missingForHdfs())

/** What a cluster may ask for, by the settings that say so. */
const protections: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  authentication: {},
  integrity: { 'hadoop.rpc.protection': 'integrity', 'dfs.data.transfer.protection': 'integrity' },
  'privacy by 3DES': { 'hadoop.rpc.protection': 'privacy', 'dfs.data.transfer.protection': 'privacy' },
  'privacy by AES, of two protections': {
    'hadoop.rpc.protection': 'privacy,authentication',
    'dfs.data.transfer.protection': 'privacy,integrity',
    'dfs.encrypt.data.transfer.cipher.suites': 'AES/CTR/NoPadding',
  },
  'encryption by 3DES': { 'hadoop.rpc.protection': 'integrity', 'dfs.encrypt.data.transfer': 'true' },
  'encryption by AES of 256 bits': {
    'dfs.encrypt.data.transfer': 'true',
    'dfs.encrypt.data.transfer.algorithm': 'rc4',
    'dfs.encrypt.data.transfer.cipher.suites': 'AES/CTR/NoPadding',
    'dfs.encrypt.data.transfer.cipher.key.bitlength': '256',
  },
  'no proof at data nodes': { 'dfs.data.transfer.protection': '' },
}

describeUnless(missing, 'HDFS by its own protocol on a secure HDFS', () => {
  for (const [name, properties] of Object.entries(protections)) {
    describe(name, () => describeProtection(properties))
  }
})

const describeProtection = (properties: Readonly<Record<string, string>>): void => {
  let kdc: Kdc
  let hdfs: SecureCluster
  beforeAll(async () => {
    kdc = await startKdc()
    hdfs = await startSecureCluster({ kdc, properties })
  })
  afterAll(async () => {
    await hdfs.stop()
    await kdc.stop()
  })

  const tokenOf = async (name: 'alice' | 'bob' | 'sluice', doas?: string): Promise<string> => {
    const url = `${hdfs.webhdfsUrl}/webhdfs/v1/?op=GETDELEGATIONTOKEN${doas ? `&doas=${doas}` : ''}`
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--negotiate', '-u', ':', url], {
      env: { ...process.env, ...(await ticketFor({ ...hdfs, krb5Config: kdc.krb5Config }, name)) },
    })
    return (JSON.parse(stdout) as { Token: { urlString: string } }).Token.urlString
  }
  const open = async (token?: string, protocol: 'native' | 'webhdfs' = 'native') => {
    const settings = { url: hdfs.namenodeUrl, webhdfs: [hdfs.webhdfsUrl], protocol, user: 'alice' } as const
    return flat(await createFileSystem({ ...settings, token }, { maxRetries: 0 }))
  }

  test('a delegation token opens the name node, and block tokens the data nodes', async () => {
    const alice = await open(await tokenOf('alice'))
    const base = `/user/alice/native-${process.pid}-${Date.now()}`
    const text = 'x'.repeat(3_000_000)
    await alice.publish(`${base}/file`, chunksOf(text, 'end'), { blockSize: 1_048_576, permission: 0o600 })
    expect(await readText(alice, `${base}/file`)).toBe(`${text}end`)
    expect(await readText(alice, `${base}/file`, { offset: 2_999_999, length: 3 })).toBe('xen')
    expect(await alice.getFileStatus(`${base}/file`)).toMatchObject({ owner: 'alice', length: 3_000_003 })
    const webHdfs = await open(await tokenOf('alice'), 'webhdfs')
    expect(await readText(webHdfs, `${base}/file`)).toBe(`${text}end`)
    await webHdfs.publish(`${base}/other`, chunksOf(text), { blockSize: 1_048_576 })
    expect(await readText(alice, `${base}/other`)).toBe(text)
    expect(await alice.getServerDefaults('/')).toEqual(await webHdfs.getServerDefaults('/'))
    const many = Array.from({ length: 40 }, (_, at) => `${base}/many/${at}`)
    await Promise.all(many.map(path => alice.publish(path, chunksOf(path))))
    expect(await Promise.all(many.map(path => readText(alice, path)))).toEqual(many)
    expect((await Array.fromAsync(alice.listStatus(`${base}/many`))).length).toBeGreaterThan(0)
    const bob = await open(await tokenOf('bob'))
    await expectCode(bob.open(`${base}/file`), 'denied')
    await alice.delete(base, { recursive: true })
    await Promise.all([alice, bob, webHdfs].map(one => one.close()))
  })

  test('a proxy user acts for others, by tokens that it gets for them', async () => {
    const tokens = { get: (user?: string) => tokenOf('sluice', user), refused: () => {} }
    const settings = { url: hdfs.namenodeUrl, webhdfs: [hdfs.webhdfsUrl], protocol: 'native' } as const
    const sluice = await createFileSystem(settings, { tokens, actsForOthers: true, maxRetries: 0 })
    const bob = flat(sluice.as?.('bob') ?? sluice)
    const path = `/user/bob/native-${process.pid}-${Date.now()}`
    await bob.publish(path, chunksOf('x'), { permission: 0o600 })
    expect(await readText(bob, path)).toBe('x')
    expect((await bob.getFileStatus(path)).owner).toBe('bob')
    await expectCode(sluice.open(path), 'denied')
    await bob.delete(path)
    await sluice.close()
  })

  test('without a token there is a sentence that says so, and with a wrong one', async () => {
    const nobody = await open()
    await expect(nobody.getFileStatus('/')).rejects.toThrow(/SIMPLE authentication is not enabled/)
    const wrong = await open((await tokenOf('alice')).replace(/.(?=.{60}$)/, letter => (letter === 'A' ? 'B' : 'A')))
    await expectCode(wrong.getFileStatus('/'), 'unavailable')
    await Promise.all([nobody, wrong].map(one => one.close()))
  })
}
