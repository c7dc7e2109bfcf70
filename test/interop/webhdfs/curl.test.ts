/** What Hadoop's documentation of the API does with curl. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRequired } from '../../suites/hdfs.ts'
import { whyNoCurl } from '../../suites/senders/curl.ts'
import { describeDoors } from './doors.ts'

const big = Buffer.from(Uint8Array.from({ length: 3 << 20 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 13))
const missing = whyNoCurl()
if (missing !== undefined && isRequired('curl')) throw new Error(`SLUICE_REQUIRE has "curl", but ${missing}`)
if (missing !== undefined) console.warn(`skipped WebHDFS by curl: ${missing}`)

/** Unused names, because a failed test is retried. */
let tries = 0

describeDoors('curl', door => {
  let local: string
  beforeAll(async () => {
    local = await mkdtemp(join(tmpdir(), 'sluice-curl-'))
    await writeFile(join(local, 'one'), 'one,')
    await writeFile(join(local, 'two'), 'two')
    await writeFile(join(local, 'big'), big)
  })
  afterAll(() => rm(local, { recursive: true, force: true }))

  /** The status of the last answer, and its body. */
  const curl = async (...args: readonly string[]): Promise<{ readonly status: number; readonly body: Buffer }> => {
    const all = ['-sS', '-w', '%{stderr}%{http_code}', ...args]
    const { stdout, stderr } = await promisify(execFile)('curl', all, {
      encoding: 'buffer',
      cwd: local,
      maxBuffer: 1 << 26,
    })
    return { status: Number(stderr), body: stdout }
  }
  const open = (directory: string): ((path: string, query: string) => string) => {
    const root = `${door().url}/webhdfs/v1/${directory}`
    return (path, query) => `${root}/${path}?user.name=${userInfo().username}&${query}`
  }
  const testCurl = (name: string, body: (at: (path: string, query: string) => string) => Promise<void>): void =>
    test.skipIf(missing !== undefined)(name, () => body(open(`curl-${process.pid}-${tries++}`)))

  /** Where a redirect of a request without a body leads to. */
  const follow = async (method: string, url: string): Promise<string> => {
    const { status, body } = await curl('-i', '-X', method, url)
    expect(status).toBe(307)
    return /^location: *(\S+)/im.exec(String(body))?.[1] ?? ''
  }

  testCurl('creates and appends in two steps', async at => {
    const created = await curl('-i', '-X', 'PUT', '-T', 'one', await follow('PUT', at('a', 'op=CREATE')))
    expect(created.status).toBe(201)
    expect(String(created.body)).toMatch(/^location: .*\/a\b/im)
    expect(await curl('-X', 'POST', '-T', 'two', await follow('POST', at('a', 'op=APPEND')))).toMatchObject({
      status: 200,
    })
    expect(await curl('-L', at('a', 'op=OPEN'))).toEqual({ status: 200, body: Buffer.from('one,two') })
    // It is there, and is to stay.
    const refused = await curl('-L', '-T', 'two', at('a', 'op=CREATE&overwrite=false'))
    expect({ ...refused, body: toException(refused.body) }).toEqual({ status: 403, body: 'FileAlreadyExistsException' })
    expect(await curl('-L', '-T', 'two', at('a', 'op=CREATE&overwrite=true'))).toMatchObject({ status: 201 })
    expect(await curl('-L', at('a', 'op=OPEN'))).toEqual({ status: 200, body: Buffer.from('two') })
  })

  testCurl('creates and appends in one, with what it asks for first', async at => {
    expect(await curl('-L', '-T', 'big', at('big', 'op=CREATE'))).toMatchObject({ status: 201 })
    expect(await curl('-L', '-X', 'POST', '-T', 'one', at('big', 'op=APPEND'))).toMatchObject({ status: 200 })
    expect(await curl('-L', '-o', 'back', at('big', 'op=OPEN'))).toMatchObject({ status: 200 })
    expect((await readFile(join(local, 'back'))).equals(Buffer.concat([big, Buffer.from('one,')]))).toBe(true)
    expect(await curl('-L', at('big', `op=OPEN&offset=${big.length - 2}&length=4`))).toEqual({
      status: 200,
      body: Buffer.concat([big.subarray(-2), Buffer.from('on')]),
    })
    expect(await curl('-L', '-T', '/dev/null', at('empty', 'op=CREATE'))).toMatchObject({ status: 201 })
    expect(await curl('-L', at('empty', 'op=OPEN'))).toEqual({ status: 200, body: Buffer.of() })
  })

  testCurl('is told places instead of being sent there', async at => {
    const ask = async (method: string, url: string): Promise<string> => {
      const { status, body } = await curl('-X', method, `${url}&noredirect=true`)
      expect(status).toBe(200)
      const { Location: place } = JSON.parse(String(body)) as { readonly Location: string }
      return place
    }
    expect(await curl('-T', 'one', await ask('PUT', at('a', 'op=CREATE')))).toMatchObject({ status: 201 })
    expect(await curl('-X', 'POST', '-T', 'two', await ask('POST', at('a', 'op=APPEND')))).toMatchObject({
      status: 200,
    })
    expect(await curl(await ask('GET', at('a', 'op=OPEN&offset=2')))).toEqual({
      status: 200,
      body: Buffer.from('e,two'),
    })
  })

  testCurl('changes what is there, and is told what is not', async at => {
    const json = async (...args: readonly string[]): Promise<unknown> => JSON.parse(String((await curl(...args)).body))
    expect(await json('-X', 'PUT', at('d/e', 'op=MKDIRS&permission=750'))).toEqual({ boolean: true })
    await curl('-L', '-T', 'one', at('d/a%20b+c', 'op=CREATE'))
    expect(await json(at('d', 'op=LISTSTATUS'))).toMatchObject({
      FileStatuses: {
        FileStatus: [
          { pathSuffix: 'a b+c', type: 'FILE', length: 4 },
          { pathSuffix: 'e', permission: '750' },
        ],
      },
    })
    const to = encodeURIComponent(new URL(at('d/f', '')).pathname.slice('/webhdfs/v1'.length))
    expect(await json('-X', 'PUT', at('d/a%20b+c', `op=RENAME&destination=${to}`))).toEqual({ boolean: true })
    expect(await curl('-X', 'PUT', at('d/f', 'op=SETPERMISSION&permission=600'))).toEqual({
      status: 200,
      body: Buffer.of(),
    })
    expect(await json(at('d/f', 'op=GETFILESTATUS'))).toMatchObject({
      FileStatus: { permission: '600', pathSuffix: '' },
    })
    expect(await json(at('d', 'op=GETCONTENTSUMMARY'))).toMatchObject({
      ContentSummary: { directoryCount: 2, fileCount: 1, length: 4 },
    })
    expect(await json('-X', 'DELETE', at('d/f', 'op=DELETE'))).toEqual({ boolean: true })
    expect(await json('-X', 'DELETE', at('d/f', 'op=DELETE'))).toEqual({ boolean: false })
    for (const op of ['GETFILESTATUS', 'LISTSTATUS', 'OPEN', 'GETCONTENTSUMMARY']) {
      const { status, body } = await curl('-L', at('d/f', `op=${op}`))
      expect({ op, status, exception: toException(body) }).toEqual({
        op,
        status: 404,
        exception: 'FileNotFoundException',
      })
    }
    const { status, body } = await curl(at('d', 'op=NONSENSE'))
    expect({ status, exception: toException(body) }).toEqual({ status: 400, exception: 'IllegalArgumentException' })
  })
})

const toException = (body: Buffer): string => {
  const { RemoteException } = JSON.parse(String(body)) as { readonly RemoteException: { readonly exception: string } }
  return RemoteException.exception
}
