/** HDFS by its own protocol where name nodes and data nodes want a proof: tokens, of blocks too. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { missingForSecureCluster, type SecureCluster, startSecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import { type Kdc, startKdc } from '../../scripts/kerberos/kdc.ts'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { chunksOf, expectCode, readText } from '../suites/filesystem.ts'
import { flat } from '../suites/flat-filesystem.ts'
import { describeUnless } from '../suites/kerberos.ts'
import { ticketFor } from '../suites/secure-hdfs.ts'

const missing = (await missingForSecureCluster()) ?? (await missingForHdfs())

describeUnless(missing, 'HDFS by its own protocol on a secure HDFS', () => {
  let kdc: Kdc
  let hdfs: SecureCluster
  beforeAll(async () => {
    kdc = await startKdc()
    hdfs = await startSecureCluster({ kdc })
  })
  afterAll(async () => {
    await hdfs.stop()
    await kdc.stop()
  })

  const tokenOf = async (name: 'alice' | 'bob'): Promise<string> => {
    const url = `${hdfs.webhdfsUrl}/webhdfs/v1/?op=GETDELEGATIONTOKEN`
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--negotiate', '-u', ':', url], {
      env: { ...process.env, ...(await ticketFor({ ...hdfs, krb5Config: kdc.krb5Config }, name)) },
    })
    return (JSON.parse(stdout) as { Token: { urlString: string } }).Token.urlString
  }
  const open = async (token?: string) => {
    const settings = { url: hdfs.namenodeUrl, webhdfs: [hdfs.webhdfsUrl], protocol: 'native', user: 'alice' } as const
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
    const bob = await open(await tokenOf('bob'))
    await expectCode(bob.open(`${base}/file`), 'denied')
    await alice.delete(base, { recursive: true })
    await Promise.all([alice, bob].map(one => one.close()))
  })

  test('without a token there is a sentence that says so, and with a wrong one', async () => {
    const nobody = await open()
    await expect(nobody.getFileStatus('/')).rejects.toThrow(/SIMPLE authentication is not enabled/)
    const wrong = await open((await tokenOf('alice')).replace(/.(?=.{60}$)/, letter => (letter === 'A' ? 'B' : 'A')))
    await expectCode(wrong.getFileStatus('/'), 'unavailable')
    await Promise.all([nobody, wrong].map(one => one.close()))
  })
})
