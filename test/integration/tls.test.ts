import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Edge } from '../../src/http/edge/node.ts'
import { openCertificate } from '../../src/http/edge/tls.ts'
import { type Logger, silentLogger } from '../../src/log/log.ts'
import { openEdgeBehind } from '../suites/edge-ways.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
let directory = ''
const edges: Edge[] = []

const pathOf = (name: string): string => join(directory, name)
const files = () => ({ cert: pathOf('cert.pem'), key: pathOf('key.pem') })

const createCertificate = (name: string): void => {
  const out = ['-keyout', pathOf(`${name}.key`), '-out', pathOf(`${name}.cert`)]
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const { status, stderr } = spawnSync('openssl', [...args, '-subj', `/CN=${name}`, ...out])
  if (status !== 0) throw new Error(`openssl: ${String(stderr)}`)
}

const use = (name: string): void => {
  copyFileSync(pathOf(`${name}.key`), files().key)
  copyFileSync(pathOf(`${name}.cert`), files().cert)
}

/** Who the server says it is, over a new connection, and what it answers. */
const ask = (port: number): Promise<{ readonly name: unknown; readonly body: string; readonly hsts?: unknown }> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, rejectUnauthorized: false, agent: false }, response => {
      const name = (response.socket as TLSSocket).getPeerCertificate().subject.CN
      const hsts = response.headers['strict-transport-security']
      response
        .setEncoding('utf8')
        .on('data', body => resolve({ name, body: String(body), ...(hsts === undefined ? {} : { hsts }) }))
    })
    sent.on('error', reject).end()
  })

/** What a client with these abilities gets: version and cipher, or why there is no connection. */
const shake = (port: number, options: ConnectionOptions): Promise<string> =>
  new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
      socket.destroy()
    })
    socket.on('error', error => resolve('code' in error ? String(error.code) : error.message))
  })

/** What plain HTTP is answered on a port. */
const askPlain = (port: number): Promise<{ readonly status: number | undefined; readonly body: string }> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false, headers: { authorization: 'Bearer x' } }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', part => {
        body += part
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
    }).on('error', reject)
  })

/** Of threads in front of the server that is started next. */
let threads = 0

const start = async (logger: Logger = silentLogger, hstsSeconds = 0): Promise<Edge> => {
  const edge = await openEdgeBehind(threads, {
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    tls: await openCertificate(files(), logger, 10),
    hstsSeconds,
    fetch: ({ url }) => new Response(url),
    logger,
    limits: { idleGraceMs: 10 },
  })
  edges.push(edge)
  return edge
}

describe.each(hasOpenssl ? [0, 3] : [])('an edge with TLS, behind %i threads', count => {
  beforeAll(() => {
    threads = count
    directory = mkdtempSync(join(tmpdir(), 'sluice-tls-'))
    for (const name of ['one', 'two']) createCertificate(name)
  })
  afterEach(() => Promise.all(edges.splice(0).map(edge => edge.close())))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test('serves https, and says so', async () => {
    use('one')
    const edge = await start()
    expect(edge.url).toBe(`https://127.0.0.1:${edge.port}`)
    expect(await ask(edge.port)).toEqual({ name: 'one', body: `https://127.0.0.1:${edge.port}/` })
  })

  test('takes a new certificate without a restart, and keeps the old one while the new one is bad', async () => {
    use('one')
    const warn = vi.fn()
    const edge = await start({ ...silentLogger, warn })
    writeFileSync(files().cert, 'not a certificate')
    await expect.poll(() => warn).toHaveBeenCalled()
    expect((await ask(edge.port)).name).toBe('one')
    use('two')
    await expect.poll(async () => (await ask(edge.port)).name).toBe('two')
  })

  test('does not start with a bad pair, and names its files', async () => {
    use('one')
    copyFileSync(pathOf('two.key'), files().key)
    await expect(start()).rejects.toThrow(`The certificate ${files().cert} with the key ${files().key} cannot be used`)
    rmSync(files().key)
    await expect(start()).rejects.toThrow(/ENOENT/)
  })

  /** Everything that OpenSSL still has, the weakest included. */
  const anything = `${DEFAULT_CIPHERS}:ALL:@SECLEVEL=0`
  /** After a new certificate too: it comes with a context of its own. */
  const whenReloaded = async (edge: Edge): Promise<void> => {
    use('two')
    await expect.poll(async () => (await ask(edge.port)).name).toBe('two')
  }

  test('S1: versions below 1.2 are refused', async () => {
    use('one')
    const edge = await start()
    const old = async (): Promise<void> => {
      for (const version of ['TLSv1', 'TLSv1.1'] as const) {
        const refused = await shake(edge.port, { minVersion: version, maxVersion: version, ciphers: anything })
        expect(refused, version).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
      }
      expect(await shake(edge.port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 /)
      expect(await shake(edge.port, { minVersion: 'TLSv1.3' })).toMatch(/^TLSv1\.3 /)
    }
    await old()
    await whenReloaded(edge)
    await old()
  })

  test('S1: ciphers without forward secrecy or authenticated encryption are refused', async () => {
    use('one')
    const edge = await start()
    const weak = [
      'AES128-SHA',
      'AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES128-SHA',
      'ECDHE-ECDSA-AES256-SHA384',
      'NULL',
      'PSK',
    ]
    const old = async (): Promise<void> => {
      for (const cipher of weak) {
        const answer = await shake(edge.port, { maxVersion: 'TLSv1.2', ciphers: `${cipher}:@SECLEVEL=0` })
        expect(answer, cipher).toMatch(/^ERR_SSL_/)
      }
      const best = await shake(edge.port, { maxVersion: 'TLSv1.2', ciphers: anything })
      expect(best).toMatch(/^TLSv1\.2 ECDHE-ECDSA-(AES\d+-GCM|CHACHA20)/)
    }
    await old()
    await whenReloaded(edge)
    await old()
  })

  test('S1: plain HTTP on its port is told that it is one', async () => {
    use('one')
    const edge = await start()
    const { status, body } = await askPlain(edge.port)
    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ code: 'bad-request', detail: expect.stringContaining('https://') })
    expect((await ask(edge.port)).name).toBe('one')
  })

  test('S1: HSTS is sent where it is asked for', async () => {
    use('one')
    expect((await ask((await start()).port)).hsts).toBeUndefined()
    expect((await ask((await start(silentLogger, 600)).port)).hsts).toBe('max-age=600')
  })

  test('drains, idle connections included', async () => {
    use('one')
    const edge = await start()
    await ask(edge.port)
    await edge.close()
    await expect(ask(edge.port)).rejects.toThrow('ECONNREFUSED')
  })
})
