import { execFile } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { hashToken } from '../../../src/http/auth/token-callers.ts'
import { cleanUp, createDirectory, start } from '../../integration/process/child.ts'
import { describePart } from '../../suites/describe-part.ts'
import { makePythonEnvironment } from '../python-environment.ts'

const environment = await makePythonEnvironment('access-log', resolve('test/interop/access-log/requirements.txt'))
const missing = 'missing' in environment ? environment.missing : undefined

afterAll(cleanUp)

type Entry = { readonly [Name in 'address' | 'user' | 'request' | 'status' | 'bytes' | 'referer' | 'agent']: unknown }

/** As a parser of other make understands it. */
const read = async (path: string): Promise<readonly Entry[]> => {
  const python = 'python' in environment ? environment.python : ''
  const { stdout } = await promisify(execFile)(python, ['test/interop/access-log/read_log.py', path])
  return JSON.parse(stdout) as Entry[]
}

/** Headers as they are, which `fetch` would look at. */
const get = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end()
  })

describePart('python-clients', missing, 'the access log', () => {
  test('is read by a third-party parser, continues in a new file after SIGHUP, and is complete after a stop', async () => {
    const directory = createDirectory()
    const [path, old] = [join(directory, 'access.log'), join(directory, 'access.log.1')]
    const token = 'a-token-of-somebody'
    writeFileSync(join(directory, 'tokens'), `reader read,view sha256:${hashToken(token)}\n`)
    const server = start(process.execPath, [resolve('src/main.ts')], {
      env: {
        SLUICE_DATA_DIR: directory,
        SLUICE_COLLECTOR_SCRIBE_PORT: '0',
        SLUICE_AUTH_TOKENS: join(directory, 'tokens'),
        SLUICE_LOG_ACCESS: 'combined',
        SLUICE_LOG_ACCESS_FILE: path,
      },
    })
    const { server: url, admin } = await server.logged('sluice is ready')
    const agent = 'evil" 200 5 "-" "x\\'
    await get(`${String(url)}/1?v=Order,s1`, { 'user-agent': agent, 'x-forwarded-for': '192.0.2.7' })
    await get(`${String(url)}/rest/1.0/hdfs?path=/&delegation=c2VjcmV0`, { authorization: `Bearer ${token}` })
    await get(`${String(admin)}/1.0/healthcheck`, { referer: 'http://127.0.0.1/a b' })
    await expect.poll(() => readFileSync(path, 'ascii').split('\n')).toHaveLength(4)
    renameSync(path, old)
    server.process.kill('SIGHUP')
    await expect.poll(() => existsSync(path)).toBe(true)
    await get(`${String(url)}/nowhere`)
    server.process.kill('SIGTERM')
    expect(await server.ended()).toBe(0)

    const line = { address: '127.0.0.1', user: null, referer: null, agent: null, at: expect.any(String) }
    expect(await read(old)).toEqual([
      { ...line, address: '192.0.2.7', request: 'GET /1?v=Order,s1 HTTP/1.1', status: 202, bytes: null, agent },
      {
        ...line,
        user: 'reader',
        request: 'GET /rest/1.0/hdfs?path=/&delegation=(hidden) HTTP/1.1',
        status: 200,
        bytes: expect.any(Number),
      },
      {
        ...line,
        request: 'GET /1.0/healthcheck HTTP/1.1',
        status: 200,
        bytes: expect.any(Number),
        referer: 'http://127.0.0.1/a b',
      },
    ])
    expect(await read(path)).toMatchObject([{ request: 'GET /nowhere HTTP/1.1', status: 404 }])
  })
})
