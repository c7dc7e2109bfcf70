import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { createTestServer } from '../suites/admin.ts'

vi.mock('node:perf_hooks', async load => {
  const hooks = await load<typeof import('node:perf_hooks')>()
  return { ...hooks, monitorEventLoopDelay: vi.fn(hooks.monitorEventLoopDelay) }
})

test('a server that is closed leaves no timer: rates, tokens, certificates, the registry', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-close-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const tokens = join(directory, 'tokens')
  writeFileSync(tokens, `ann view sha256:${hashToken(createToken())}\n`)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = await createTestServer({ set: [`auth.tokens=${tokens}`], ticks: 'byTimer' })
  expect(vi.getTimerCount()).toBeGreaterThanOrEqual(2)
  const [probe] = vi.mocked(monitorEventLoopDelay).mock.results
  const disable = vi.spyOn(probe?.value, 'disable')
  await server.close()
  expect(vi.getTimerCount()).toBe(0)
  expect(disable).toHaveBeenCalledOnce()
})
