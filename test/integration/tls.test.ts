import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createEdge, type Edge } from '../../src/http/node.ts'
import { type Logger, silentLogger } from '../../src/log.ts'

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
const ask = (port: number): Promise<{ readonly name: unknown; readonly body: string }> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, rejectUnauthorized: false, agent: false }, response => {
      const name = (response.socket as TLSSocket).getPeerCertificate().subject.CN
      response.setEncoding('utf8').on('data', body => resolve({ name, body: String(body) }))
    })
    sent.on('error', reject).end()
  })

const start = async (logger: Logger = silentLogger): Promise<Edge> => {
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    tls: files(),
    tlsCheckMs: 10,
    fetch: ({ url }) => new Response(url),
    logger,
    limits: { idleGraceMs: 10 },
  })
  edges.push(edge)
  return edge
}

describe.skipIf(!hasOpenssl)('an edge with TLS', () => {
  beforeAll(() => {
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
    await vi.waitFor(() => expect(warn).toHaveBeenCalled())
    expect((await ask(edge.port)).name).toBe('one')
    use('two')
    await vi.waitFor(async () => expect((await ask(edge.port)).name).toBe('two'))
  })

  test('does not start with a bad pair, and names its files', async () => {
    use('one')
    copyFileSync(pathOf('two.key'), files().key)
    await expect(start()).rejects.toThrow(`The certificate ${files().cert} with the key ${files().key} cannot be used`)
    rmSync(files().key)
    await expect(start()).rejects.toThrow(/ENOENT/)
  })

  test('drains, idle connections included', async () => {
    use('one')
    const edge = await start()
    await ask(edge.port)
    await edge.close()
    await expect(ask(edge.port)).rejects.toThrow('ECONNREFUSED')
  })
})
