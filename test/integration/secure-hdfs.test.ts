/** What the secure HDFS of the tests promises them. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { describeSecureHdfs, ticketFor } from '../suites/secure-hdfs.ts'

type Answer = { readonly status: number; readonly body: unknown }

describeSecureHdfs('a secure HDFS', hdfs => {
  const curl = async (
    env: Readonly<Record<string, string>>,
    path: string,
    ...args: readonly string[]
  ): Promise<Answer> => {
    const all = ['-sS', '-w', '%{stderr}%{http_code}', '--negotiate', '-u', ':', ...args]
    const { stdout, stderr } = await promisify(execFile)('curl', [...all, `${hdfs.webhdfsUrl}/webhdfs/v1${path}`], {
      env: { ...process.env, ...env },
    })
    return { status: Number(stderr), body: stdout.startsWith('{') ? JSON.parse(stdout) : undefined }
  }
  const withoutTicket = { KRB5_CONFIG: hdfs.krb5Config, KRB5CCNAME: 'MEMORY:none' }

  test('requires a ticket', async () => {
    expect(await curl(withoutTicket, '/?op=LISTSTATUS')).toMatchObject({ status: 401 })
    expect(await curl(withoutTicket, '/?op=LISTSTATUS&user.name=hdfs')).toMatchObject({ status: 401 })
  })

  test('gives a delegation token for a ticket, which is good without it', async () => {
    const asked = await curl(await ticketFor(hdfs, 'alice'), '/?op=GETDELEGATIONTOKEN')
    expect(asked).toEqual({ status: 200, body: { Token: { urlString: expect.any(String) } } })
    const { Token } = asked.body as { readonly Token: { readonly urlString: string } }
    expect(await curl(withoutTicket, `/?op=GETHOMEDIRECTORY&delegation=${Token.urlString}`)).toEqual({
      status: 200,
      body: { Path: '/user/alice' },
    })
  })

  test('knows whose a file is, and lets Sluice be anybody', async () => {
    const [sluice, alice, bob] = [
      await ticketFor(hdfs, 'sluice'),
      await ticketFor(hdfs, 'alice'),
      await ticketFor(hdfs, 'bob'),
    ]
    const directory = `/smoke-${process.pid}-${Date.now()}`
    const make = (env: Readonly<Record<string, string>>, query: string): Promise<Answer> =>
      curl(env, `${directory}?op=MKDIRS&permission=700${query}`, '-X', 'PUT')
    expect(await make(bob, '&doas=alice')).toMatchObject({ status: 403 })
    expect(await make(sluice, '&doas=alice')).toEqual({ status: 200, body: { boolean: true } })
    expect(await curl(alice, `${directory}?op=GETFILESTATUS`)).toMatchObject({
      body: { FileStatus: { owner: 'alice', permission: '700' } },
    })
    expect(await curl(bob, `${directory}?op=LISTSTATUS`)).toMatchObject({
      status: 403,
      body: { RemoteException: { exception: 'AccessControlException' } },
    })
  })
})
