/** The server's credentials for a table catalog appear nowhere: not where the catalog repeats it either. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../suites/eventually.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

afterAll(cleanUp)

/** Each has characters that JSON, forms and URLs escape. */
const createSecret = (): string => `S3cr"\\&=%${randomBytes(12).toString('hex')}`
const secrets = { token: createSecret(), client: createSecret(), fetched: createSecret() }

/** The part that nothing escapes. */
const leaksOf = (said: string): readonly string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = [
      secret.slice(-24),
      Buffer.from(secret).toString('base64'),
      Buffer.from(`id:${secret}`).toString('base64'),
    ]
    return forms.some(form => said.includes(form)) ? [name] : []
  })

/** A hostile catalog: it repeats all that it hears, in each form. */
const startGossip = async (givesTokens: boolean): Promise<string> => {
  const answer = async (request: IncomingMessage): Promise<{ readonly status: number; readonly json: object }> => {
    const body = await text(request)
    if (givesTokens && request.url?.endsWith('/oauth/tokens'))
      return { status: 200, json: { access_token: secrets.fetched, token_type: 'bearer' } }
    const { authorization = '' } = request.headers
    const bare = authorization.replace('Bearer ', '')
    const forms = [authorization, encodeURIComponent(bare), Buffer.from(bare).toString('base64'), body]
    const message = `Cannot do ${request.method} ${request.url} with ${forms.join(' and ')}`
    return { status: 401, json: { error: { message, type: 'NotAuthorized', code: 401 } } }
  }
  const server = createServer((request, response) => {
    void answer(request).then(({ status, json }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json)),
    )
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const json = { 'content-type': 'application/json' }

describe('S5: what a catalog of tables is given', () => {
  test.each<[string, boolean, Readonly<Record<string, string>>]>([
    ['a token', false, { SLUICE_COLLECTOR_OUTPUT_REST_TOKEN: secrets.token }],
    ['client credentials that are refused', false, { SLUICE_COLLECTOR_OUTPUT_REST_CREDENTIAL: `id:${secrets.client}` }],
    ['a token that was fetched', true, { SLUICE_COLLECTOR_OUTPUT_REST_CREDENTIAL: `id:${secrets.client}` }],
  ])('%s is in no answer, log, file or output', { timeout: 120_000 }, async (_, givesTokens, env) => {
    const cwd = createDirectory()
    const settings = {
      'collector.output.format': 'parquet',
      'collector.output.table': 'iceberg',
      'collector.output.catalog': await startGossip(givesTokens),
      'collector.diskspool.flush-interval-seconds': 1,
      'collector.diskspool.min-free-bytes': 0,
      'server.port': 0,
      'admin.port': 0,
      'log.level': 'debug',
    }
    writeFileSync(join(cwd, 'sluice.yaml'), JSON.stringify(settings))
    const child = start(process.execPath, [resolve('src/main.ts')], { cwd, env })
    await eventually(() => expect(child.output()).toContain('sluice is ready'))
    const urls = Object.fromEntries(
      [...child.output().matchAll(/(server|admin)"?[:=]"?(http:[^" ]+)/g)].map(([, name, url]) => [name, url]),
    )
    const { server = '', admin = '' } = urls
    const sent = await fetch(`${server}/rest/1.0/event`, {
      method: 'POST',
      headers: json,
      body: '{"eventName":"Hello","payload":{"n":1}}',
    })
    expect(sent.status).toBe(202)
    await eventually(() => expect(child.output()).toMatch(/NotAuthorized/))
    const run = (...words: readonly string[]): Promise<string> =>
      new Promise(done => {
        const options = {
          cwd,
          env: { PATH: process.env['PATH'], HOME: cwd, SLUICE_URL: admin, SLUICE_SERVER_URL: server, ...env },
        }
        execFile(process.execPath, [resolve('bin/sluice.js'), ...words], options, (_failure, stdout, stderr) =>
          done(`${stdout}${stderr}`),
        ).stdin?.end()
      })
    const read = async (path: string, body?: object): Promise<string> =>
      await (
        await fetch(`${admin}${path}`, body ? { method: 'POST', headers: json, body: JSON.stringify(body) } : {})
      ).text()
    // What the gateway asks it for, and tells those who may read.
    mkdirSync(join(cwd, 'data/fs/events/Hello/metadata'), { recursive: true })
    const shown = await Promise.all(
      [
        '/rest/1.0/text?path=/events/Hello',
        '/rest/1.0/hdfs?path=/events/Hello',
        '/iceberg/v1/namespaces/events/tables/Hello',
      ].map(async target => await (await fetch(`${server}${target}`)).text()),
    )
    for (const one of shown) expect(one).toContain('NotAuthorized')
    const said = [
      ...shown,
      await read('/jolokia', { type: 'read', mbean: '*:*' }),
      await read('/metrics'),
      await read('/1.0/healthcheck'),
      await run('flush', 'now'),
      await run('config', '--json'),
      await run('doctor'),
      await run('table', 'list'),
      await run('table', 'show', 'Hello'),
      await run('health'),
      await run('status'),
    ]
    expect(said.join()).toContain('NotAuthorized')
    child.process.kill('SIGTERM')
    await child.ended()
    said.push(child.output())
    for (const entry of readdirSync(join(cwd, 'data'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) said.push(readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    for (const one of said) expect(leaksOf(one), one.slice(0, 2_000)).toEqual([])
  })
})
