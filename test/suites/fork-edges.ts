import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import type { ChildWord } from './edge-child.ts'
import { nodeOptions } from './start-command.ts'

/** A line of the log. */
export type LogLine = {
  readonly msg?: string
  readonly server?: string
  readonly admin?: string
  readonly reason?: string
  readonly missing?: number
}

/** A server with edge threads as a process of its own. */
export type ForkedEdges = {
  readonly server: ChildProcess
  readonly tell: (word: ChildWord) => void
  /** All that it has logged so far. */
  readonly lines: readonly LogLine[]
  readonly url: string
  readonly admin: string
}

/** Starts one, until the test is over. @param directory with its code */
export const forkEdges = async (
  directory: string,
  data: string,
  threads: number,
  more: readonly string[] = [],
): Promise<ForkedEdges> => {
  const settings = ['server.port=0', 'admin.port=0', 'collector.scribe.enabled=false', 'log.format=json']
  const own = [`data.dir=${data}`, `server.threads=${threads}`, 'collector.diskspool.min-free-bytes=0']
  const server = fork(
    join(directory, 'test/suites/edge-child.ts'),
    [...settings, ...own, ...more].flatMap(one => ['--set', one]),
    { cwd: directory, stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: nodeOptions },
  )
  onTestFinished(() => void server.kill('SIGKILL'))
  const lines: LogLine[] = []
  if (server.stdout) createInterface(server.stdout).on('line', line => void lines.push(JSON.parse(line)))
  await expect.poll(() => lines.find(({ msg }) => msg === 'sluice is ready')).toBeDefined()
  const { server: url = '', admin = '' } = lines.find(({ msg }) => msg === 'sluice is ready') ?? {}
  return { server, tell: word => void server.send(word), lines, url, admin }
}
