import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { startQuarantine } from '../suites/quarantine.ts'

const bean = 'sluice.metrics.collector:name=Quarantine'
const stats = 'sluice.metrics.collector:name=Spool'

type Piece = { readonly name: string; readonly kind: string; readonly events: number; readonly oldest?: number }
type List = { readonly files: readonly Piece[]; readonly total: number }

/** A server with a file that was refused, and one whose RENAME had no answer. */
const start = async (options: Parameters<typeof startQuarantine>[0] = {}) => {
  const world = await startQuarantine(options)
  const { server } = world
  onTestFinished(() => server.close())
  const list = async (): Promise<List> => (await server.rpc.exec(bean, 'list')) as List
  const nameOf = async (kind: string): Promise<string> =>
    (await list()).files.find(file => file.kind === kind)?.name ?? ''
  const figures = async () => (await server.rpc.read(stats)).value
  return { ...world, list, nameOf, figures }
}

test('lists what is set aside: kind, events, bytes, reason, and since when', async () => {
  const { server, list } = await start()
  const { files, total } = await list()
  expect(total).toBe(2)
  expect(files).toMatchObject([
    { kind: 'file', events: 3, reason: expect.stringContaining('no room for you'), oldest: server.clock.ms - 30_000 },
    { kind: 'taken', events: 2, reason: expect.stringContaining('RENAME had no answer') },
  ])
  // It is a query: only looking, so the audit stays empty.
  expect((await server.rpc.read('sluice.metrics:name=Audit', 'Recent')).value).toEqual([])
})

test('what is released is committed by the next beat, a taken file too, and the audit tells who did it', async () => {
  const world = await start()
  const { server, list, figures } = world
  world.faults.fail = () => undefined
  const names = (await list()).files.map(({ name }) => name)
  expect(await server.rpc.exec(bean, 'release', [[...names, 'none-of-that-name']])).toMatchObject({
    outcomes: [{ done: true }, { done: true }, { done: false, detail: 'is not a bucket file in quarantine' }],
  })
  expect(await figures()).toMatchObject({ QuarantinedFiles: 0, TakenFiles: 0, PendingFiles: 2 })
  await server.beat()
  expect(await figures()).toMatchObject({ PendingFiles: 0, TotalFlushedEvents: 5 })
  expect((await server.rpc.read('sluice.metrics:name=Audit', 'Recent')).value).toMatchObject([
    { who: 'anonymous', member: 'release', outcome: 'ok', arguments: expect.stringContaining(names[0] ?? '?') },
  ])
})

test('removed pieces are gone with their events; unknown names are an error', async () => {
  const { server, list, nameOf, figures } = await start()
  await server.rpc.exec(bean, 'remove', [[await nameOf('taken')]])
  expect(await figures()).toMatchObject({ QuarantinedFiles: 1, TakenFiles: 0 })
  await server.rpc.exec(bean, 'remove', [[await nameOf('file')]])
  expect(await list()).toEqual({ files: [], total: 0 })
  for (const operation of ['release', 'releaseUnderNewName', 'remove'])
    for (const name of ['../ledger', 'ledger', ''])
      await expect(server.rpc.exec(bean, operation, [[name]])).rejects.toThrow('quarantine')
})

test('releasing and removing one file at the same time: the second finds what the first left', async () => {
  const { server, nameOf, figures } = await start()
  const name = await nameOf('file')
  const answers = await Promise.allSettled([
    server.rpc.exec(bean, 'release', [[name]]),
    server.rpc.exec(bean, 'remove', [[name]]),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await figures()).toMatchObject({ PendingFiles: 1, PendingEvents: 3 })
})

test('flush now puts refused files back, never taken ones', async () => {
  const world = await start()
  world.faults.fail = () => undefined
  await world.server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
  expect((await world.list()).files.map(({ kind }) => kind)).toEqual(['taken'])
})

test('a download gives the bytes of the piece, as a file, and the audit tells', async () => {
  const { server, nameOf } = await start()
  const name = await nameOf('file')
  const response = await server.admin(`/quarantine/${encodeURIComponent(name)}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toContain(`filename="${name}"`)
  expect(response.headers.get('content-security-policy')).toContain('sandbox')
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(bytes).toHaveLength(Number(response.headers.get('content-length')))
  expect(new TextDecoder().decode(bytes)).toContain('"n":1')
  expect((await server.rpc.read('sluice.metrics:name=Audit', 'Recent')).value).toMatchObject([
    { action: 'read', member: 'download', mbean: bean, arguments: JSON.stringify([name]), outcome: 'ok' },
  ])
  for (const other of ['..%2fledger', 'ledger', '%2e%2e/ledger', `${name}.reason`, '%ff'])
    expect((await server.admin(`/quarantine/${other}`)).status, other).toBeGreaterThanOrEqual(400)
})

test('changing needs operate, downloading view and read; what is denied is in the audit', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-quarantine-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const [viewer, operator] = [createToken(), createToken()]
  const lines = [`ann view sha256:${hashToken(viewer)}`, `bob view,operate,read,send sha256:${hashToken(operator)}`]
  writeFileSync(join(directory, 'tokens'), lines.join('\n'))
  const { server, nameOf } = await start({ set: [`auth.tokens=${join(directory, 'tokens')}`], token: operator })
  const name = await nameOf('file')
  const ask = (token: string, path: string, init: RequestInit = {}) =>
    server.admin(path, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })
  expect((await ask(viewer, `/quarantine/${name}`)).status).toBe(403)
  expect((await ask(operator, `/quarantine/${name}`)).status).toBe(200)
  expect((await server.admin(`/quarantine/${name}`)).status).toBe(401)
  const exec = (operation: string, args: readonly unknown[]) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'exec',
      params: { mbean: bean, operation, arguments: args },
    })
  const toRpc = async (body: string) => (await ask(viewer, '/rpc', { method: 'POST', body })).json()
  expect(await toRpc(exec('list', []))).toMatchObject({ result: { total: 2 } })
  for (const operation of ['release', 'releaseUnderNewName', 'remove'])
    expect(await toRpc(exec(operation, [[name]]))).toMatchObject({ error: { code: -32001 } })
  expect((await server.rpc.read('sluice.metrics:name=Audit', 'Recent')).value).toMatchObject([
    { who: 'bob', member: 'download' },
    { who: 'ann', member: 'release', outcome: 'denied' },
    { who: 'ann', member: 'releaseUnderNewName', outcome: 'denied' },
    { who: 'ann', member: 'remove', outcome: 'denied' },
  ])
})

test('a failure of the file system is reported, and the file is set aside again with the new reason', async () => {
  const world = await start()
  const { server, list } = world
  world.faults.fail = (operation, path) =>
    operation === 'create' ? new FileSystemError('denied', path, 'still no room') : undefined
  await server.rpc.exec(bean, 'release', [(await list()).files.map(({ name }) => name)])
  await server.beat()
  expect((await list()).files).toMatchObject([
    { kind: 'file', reason: expect.stringContaining('still no room') },
    { kind: 'file', reason: expect.stringContaining('still no room') },
  ])
})
