import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

/** How a command ended: with a code, or by a signal. */
export type CliResult = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `sluice` as a program does, without a terminal. @param signal ends it with SIGKILL */
export const runCli = async (
  words: readonly string[],
  { env = {}, signal }: { readonly env?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<CliResult> => {
  const child = spawn(process.execPath, [resolve('bin/sluice.js'), ...words], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += String(chunk)
  })
  child.stderr.on('data', chunk => {
    stderr += String(chunk)
  })
  const kill = (): void => void child.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  const [code, ended] = await once(child, 'close')
  signal?.removeEventListener('abort', kill)
  return { code, signal: ended, stdout, stderr }
}
