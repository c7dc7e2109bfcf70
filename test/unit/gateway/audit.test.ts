import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createWriteAudit, type Write } from '../../../src/gateway/audit.ts'
import { createToken } from '../../../src/http/auth/auth.ts'
import { hashToken } from '../../../src/http/auth/token-callers.ts'
import { createWebCall } from '../../../src/http/call/web-call.ts'
import type { Logger } from '../../../src/log/log.ts'
import { chunksOf } from '../../suites/filesystem.ts'
import { at, createTestGateway, cutBody, type TestGateway } from '../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

describe('writes through the gateway leave one line each', () => {
  const tokens = { ann: createToken(), bob: createToken(), eve: createToken() }
  type Name = keyof typeof tokens
  const directory = mkdtempSync(join(tmpdir(), 'sluice-audit-'))
  const lines: unknown[] = []
  const info: Logger['info'] = (fields, message) => {
    if (message === 'gateway') lines.push(fields)
  }
  const fileSystem = createMemoryFileSystem()
  let gateway: TestGateway

  beforeAll(async () => {
    const path = join(directory, 'tokens')
    const entry = (name: Name, role: string) => `${name} ${role} sha256:${hashToken(tokens[name])}\n`
    writeFileSync(path, entry('ann', 'read,write') + entry('bob', 'read') + entry('eve', 'send'))
    const logger = { debug: () => {}, info, warn: () => {}, error: () => {} }
    gateway = await createTestGateway({ fileSystem, settings: ['gateway.trash=0', `auth.tokens=${path}`], logger })
    await fileSystem.create('/d/f', chunksOf('hello'))
  })
  afterEach(() => {
    lines.length = 0
  })
  afterAll(async () => {
    await gateway.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const as = (name: Name, init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${tokens[name]}` },
  })
  const upload = (name: string) => {
    const body = new FormData()
    body.append('file', new Blob(['hello']), name)
    return { method: 'POST', body }
  }
  const cut = () => ({ method: 'POST', body: cutBody(Buffer.from('he')), duplex: 'half' }) as RequestInit

  test.each([
    {
      what: 'an upload',
      target: at('', '/up'),
      init: as('ann', { method: 'POST', body: 'x' }),
      want: { who: 'ann', operation: 'uploadFile', path: '/up', outcome: 'ok', status: 201 },
    },
    {
      what: 'an upload under the name that the file brings',
      target: at('', '/d/'),
      init: as('ann', upload('own.txt')),
      want: { who: 'ann', operation: 'uploadFile', path: '/d/own.txt', outcome: 'ok', status: 201 },
    },
    {
      what: 'an upload of a page',
      target: at('/hdfs', '/d', '&action=upload'),
      init: as('ann', upload('page.txt')),
      want: { who: 'ann', operation: 'uploadFile', path: '/d/page.txt', outcome: 'ok', status: 201 },
    },
    {
      what: 'an upload that is not allowed to replace',
      target: at('', '/d/f'),
      init: as('ann', { method: 'POST', body: 'x' }),
      want: { who: 'ann', operation: 'uploadFile', path: '/d/f', outcome: 'exists', status: 409 },
    },
    {
      what: 'an upload that breaks off for a reason that is not told',
      target: at('', '/cut'),
      init: as('ann', cut()),
      want: { who: 'ann', operation: 'uploadFile', path: '/cut', outcome: 'internal', status: 500 },
    },
    {
      what: 'a delete',
      target: at('', '/up'),
      init: as('ann', { method: 'DELETE' }),
      want: { who: 'ann', operation: 'deletePath', path: '/up', outcome: 'ok', status: 200 },
    },
    {
      what: 'a delete of a page',
      target: at('/hdfs', '/d/own.txt', '&action=delete'),
      init: as('ann', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      want: { who: 'ann', operation: 'deletePath', path: '/d/own.txt', outcome: 'ok', status: 200 },
    },
    {
      what: 'a new directory of a page',
      target: at('/hdfs', '/d', '&action=mkdir'),
      init: as('ann', { method: 'POST', body: new URLSearchParams({ name: 'fresh' }) }),
      want: { who: 'ann', operation: 'MKDIRS', path: '/d/fresh', outcome: 'ok', status: 200 },
    },
    {
      what: 'a rename of a page',
      target: at('/hdfs', '/d/fresh', '&action=rename'),
      init: as('ann', { method: 'POST', body: new URLSearchParams({ name: 'stale' }) }),
      want: { who: 'ann', operation: 'RENAME', path: '/d/fresh', destination: '/d/stale', outcome: 'ok', status: 200 },
    },
    {
      what: 'a delete of what cannot be deleted',
      target: at('', '/'),
      init: as('ann', { method: 'DELETE' }),
      want: { who: 'ann', operation: 'deletePath', path: '/', outcome: 'denied', status: 403 },
    },
    {
      what: 'a delete without the role',
      target: at('', '/d/f'),
      init: as('bob', { method: 'DELETE' }),
      want: { who: 'bob', operation: 'deletePath', path: '/d/f', outcome: 'denied', status: 403 },
    },
    {
      what: 'an operation of WebHDFS',
      target: '/webhdfs/v1/d/page.txt?op=RENAME&destination=/d/moved.txt',
      init: as('ann', { method: 'PUT' }),
      want: {
        who: 'ann',
        operation: 'RENAME',
        path: '/d/page.txt',
        destination: '/d/moved.txt',
        outcome: 'ok',
        status: 200,
      },
    },
    {
      what: 'an operation of WebHDFS without the role, by a token in the address',
      target: `/webhdfs/v1/d/f?op=DELETE&delegation=${tokens.bob}`,
      init: { method: 'DELETE' },
      want: { who: 'bob', operation: 'DELETE', path: '/d/f', outcome: 'denied', status: 403 },
    },
    {
      what: 'a form without the role',
      target: at('/hdfs', '/d', '&action=upload'),
      init: as('bob', upload('f')),
      want: { who: 'bob', operation: 'submitForm', path: '/d', outcome: 'denied', status: 403 },
    },
  ])('$what', async ({ target, init, want }) => {
    await (await gateway.call(target, init)).body?.cancel()
    expect(lines).toEqual([{ from: '', ...want }])
  })

  test.each([
    ['a read', at('/binary', '/d/f'), as('bob')],
    ['a read without the role', at('/binary', '/d/f'), as('eve')],
    ['a page', at('/hdfs', '/d'), as('bob')],
    ['a stranger: many of them could fill the log', at('', '/d/f'), { method: 'DELETE' }],
    ['what is no call of the operation', at('', '/d/f', '&recursive=perhaps'), as('ann', { method: 'DELETE' })],
  ])('none: %s', async (_, target, init) => {
    await (await gateway.call(target, init)).body?.cancel()
    expect(lines).toEqual([])
  })
})

describe('createWriteAudit', () => {
  const lines: unknown[] = []
  const { audited, refused } = createWriteAudit(entry => void lines.push(entry))
  afterEach(() => {
    lines.length = 0
  })
  const call = (init: RequestInit = {}) =>
    createWebCall(new Request('http://localhost/x', { method: 'PUT', ...init })).withOperation('x', { path: '/a' })
  const run = async (write: Write<{ readonly path: string }>, init?: RequestInit) =>
    await audited('x', write)(call(init))

  test('says what the write tells of itself, also when it fails then', async () => {
    await run((_, tell) => {
      tell({ operation: 'RENAME' })
      tell({ destination: '/b' })
      return new Response(null)
    })
    const failing = run((_, tell) => {
      tell({ path: '/real' })
      throw new TypeError('secret')
    })
    await expect(failing).rejects.toThrow('secret')
    const common = { who: 'anonymous', from: '' }
    expect(lines).toEqual([
      { ...common, operation: 'RENAME', path: '/a', destination: '/b', outcome: 'ok', status: 200 },
      { ...common, operation: 'x', path: '/real', outcome: 'internal', status: 500 },
    ])
  })

  test('a failed write whose client left is not a failure of the server; a finished one is done', async () => {
    const signal = AbortSignal.abort()
    const failing = run(() => Promise.reject(new Error('cut')), { signal })
    await expect(failing).rejects.toThrow('cut')
    await run(() => new Response(null), { signal })
    expect(lines).toMatchObject([
      { outcome: 'client gone', status: 499 },
      { outcome: 'ok', status: 200 },
    ])
  })

  test('who is only told where to send the bytes has not written', async () => {
    await run((_, tell) => {
      tell({ isSentOn: true })
      return new Response(null, { status: 307, headers: { location: '/y' } })
    })
    expect(lines).toEqual([])
  })

  test('anything but the refusal of a known caller leaves no line', () => {
    refused(new Error('not a refusal'), call(), undefined)
    expect(lines).toEqual([])
  })
})
