/** Headers as long as a Kerberos ticket with all groups of a large directory, at every listener and behind the proxies. */
import { mkdtempSync, rmSync } from 'node:fs'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { defaultEdgeLimits } from '../../src/http/limits.ts'
import { makeCertificate } from '../bench/certificate.ts'
import { createTestServer, type TestServer } from '../suites/admin.ts'
import { haproxy, nginx, startHaproxy, startNginx } from '../suites/shipped-proxy.ts'

/** A token in base 64 of this many characters. */
const toHeaders = (chars: number) => ({ authorization: `Negotiate ${'A'.repeat(chars)}` })

const ask = (url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> => {
  const get = url.startsWith('https:') ? getHttps : getHttp
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false, ...(get === getHttps ? { rejectUnauthorized: false } : {}) }, response => {
      resolve(response.resume().statusCode)
    }).on('error', reject)
  })
}

describe.each([false, true])('with TLS %s', isTls => {
  let directory = ''
  let server: TestServer
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-long-headers-'))
    const { cert, key } = isTls ? makeCertificate(directory) : { cert: '', key: '' }
    const set = isTls ? ['server', 'admin'].flatMap(one => [`${one}.tls.cert=${cert}`, `${one}.tls.key=${key}`]) : []
    server = await createTestServer({ transport: 'node', set })
  })
  afterAll(async () => {
    await server.close()
    rmSync(directory, { recursive: true })
  })

  const ways = [
    ['an event, on the lane', () => `${server.serverUrl}/1?v=Long,sx`, 202],
    ['a file, by node:http', () => `${server.serverUrl}/webhdfs/v1/?op=GETFILESTATUS`, 200],
    ['management', () => `${server.adminUrl}/metrics`, 200],
  ] as const
  test.each(ways)(
    '%s comes with a ticket of 48 KB and more, up to the limit of all headers',
    async (_, url, status) => {
      expect(await ask(url(), toHeaders(49_152))).toBe(status)
      expect(await ask(url(), toHeaders(defaultEdgeLimits.maxHeaderBytes - 1_000))).toBe(status)
      expect(await ask(url(), toHeaders(defaultEdgeLimits.maxHeaderBytes))).toBe(431)
    },
  )
})

describe('behind a proxy as it is shipped', () => {
  const proxies = [
    ['HAProxy', haproxy, startHaproxy],
    ['nginx', nginx, startNginx],
  ] as const
  for (const [name, program, start] of proxies) {
    test.skipIf(program === undefined)(`${name} lets such a ticket through`, async () => {
      const server = await createTestServer({ transport: 'node' })
      onTestFinished(() => server.close())
      const port = Number(new URL(server.serverUrl).port)
      const proxy = await start([{ server: port, scribe: port }])
      onTestFinished(() => proxy.close())
      const url = `http://127.0.0.1:${proxy.port}/webhdfs/v1/?op=GETFILESTATUS`
      expect(await ask(url, toHeaders(49_152))).toBe(200)
      expect(await ask(url, toHeaders(60_000))).toBe(200)
    })
  }
})
