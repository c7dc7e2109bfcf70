import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Access } from '../../../../src/http/access/access.ts'
import { type AccessLog, type AccessLogOptions, openAccessLog } from '../../../../src/http/access/access-log.ts'
import { silentLogger } from '../../../../src/log/log.ts'

const access: Access = {
  listener: 'server',
  peer: '127.0.0.1',
  forwardedFor: '192.0.2.7',
  user: undefined,
  at: 0,
  durationMs: 0,
  method: 'GET',
  target: '/a',
  httpVersion: '1.1',
  status: 200,
  bytes: 0,
  referer: undefined,
  userAgent: undefined,
  traceparent: undefined,
}

let directory: string
let log: AccessLog | undefined
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-access-'))
})
afterEach(async () => {
  await log?.close()
  log = undefined
  rmSync(directory, { recursive: true })
})

const open = (options: Partial<AccessLogOptions> = {}): AccessLog => {
  log = openAccessLog({
    toLine: ({ target }, address) => `${address} ${target}`,
    path: join(directory, 'access.log'),
    addressOf: (peer, forwardedFor) => forwardedFor ?? peer,
    logger: silentLogger,
    ...options,
  })
  return log
}

const read = (name = 'access.log'): string => readFileSync(join(directory, name), 'utf8')

test('adds to the file that is there', async () => {
  for (const target of ['/a', '/b']) {
    const opened = open()
    opened.record({ ...access, target })
    await opened.close()
  }
  expect(read()).toBe('192.0.2.7 /a\n192.0.2.7 /b\n')
  log = undefined
})

test('continues in a new file once the old one is moved away', async () => {
  const opened = open()
  opened.record(access)
  await expect.poll(() => read()).toBe('192.0.2.7 /a\n')
  renameSync(join(directory, 'access.log'), join(directory, 'access.log.1'))
  opened.reopen()
  opened.record({ ...access, target: '/b' })
  await expect.poll(() => read()).toBe('192.0.2.7 /b\n')
  expect(read('access.log.1')).toBe('192.0.2.7 /a\n')
})

test('a file that cannot be written ends the start with a sentence that names the setting', () => {
  expect(() => open({ path: join(directory, 'none/access.log') })).toThrow(
    /^The access log cannot be written: ENOENT.*none\/access\.log.*; change log\.access-file\.$/,
  )
})

test('what the disk does not take in time is dropped, and each line counts among those told of, once a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const warn = vi.fn()
  const opened = open({ logger: { ...silentLogger, warn }, toLine: () => 'x'.repeat(2 ** 20) })
  const count = 20
  for (let i = 0; i < count; i++) opened.record(access)
  expect(warn.mock.calls).toEqual([[{ missing: 1 }, 'lines of the access log are missing']])
  vi.advanceTimersByTime(60_000)
  expect(warn).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(600_000)
  expect(warn).toHaveBeenCalledTimes(2)
  vi.useRealTimers()
  await opened.close()
  log = undefined
  const missing = warn.mock.calls.reduce((sum, [fields]) => sum + fields.missing, 0)
  expect(read().split('\n')).toHaveLength(count - missing + 1)
})

test('lines that are missing at the end are reported then', async () => {
  const warn = vi.fn()
  const opened = open({ logger: { ...silentLogger, warn }, toLine: () => 'x'.repeat(2 ** 20) })
  for (let i = 0; i < 20; i++) opened.record(access)
  expect(warn).toHaveBeenCalledTimes(1)
  await opened.close()
  log = undefined
  expect(warn).toHaveBeenCalledTimes(2)
})
