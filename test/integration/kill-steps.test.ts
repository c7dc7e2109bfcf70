import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFileSystem, type FileSystemSettings } from '../../src/filesystem/create.ts'
import { readEvents } from '../foreign/read-events.ts'
import { bundled } from '../suites/bundle.ts'
import type { ChildLine, ChildOrder } from '../suites/crash-child.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { allIsWell, createClientLedger } from '../suites/ledger-of-client.ts'
import { findEvents } from '../suites/marks.ts'
import { storeOf } from '../suites/store-of.ts'
import { isEveryCase } from '../suites/stride.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-steps-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const runChild = async (order: ChildOrder): Promise<ChildLine[]> => {
  const args = [await bundled('test/suites/crash-child.ts'), JSON.stringify(order)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let problem = ''
  child.stdout.on('data', chunk => {
    output += String(chunk)
  })
  child.stderr.on('data', chunk => {
    problem += String(chunk)
  })
  const [code, signal] = await once(child, 'close')
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The child ended with ${code}: ${problem}`)
  return output
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as ChildLine)
}

/**
 * Kills at one operation after the other, each time on what the last child left, until a child has no operations left.
 */
const killAtEveryStep = async (
  fileSystem: FileSystemSettings,
  output: Pick<ChildOrder, 'outputDirectory' | 'format' | 'ending' | 'ack'>,
  kinds: readonly NonNullable<ChildOrder['kill']>[],
): Promise<string> => {
  const client = createClientLedger()
  const killedAt = new Map<string, number>()
  const { outputDirectory } = output
  const order = { directory: join(directory, 'spool'), ...output, fileSystem }
  const run = async (kill?: ChildOrder['kill']): Promise<boolean> => {
    const events = [client.issue(), client.issue(), client.issue()]
    const lines = await runChild({ ...order, events, ...(kill ? { kill } : {}) })
    for (const line of lines) if ('acknowledged' in line) client.acknowledge(line.acknowledged)
    const end = lines.at(-1)
    if (!end || !('killedAt' in end)) return false
    killedAt.set(end.killedAt, (killedAt.get(end.killedAt) ?? 0) + 1)
    return true
  }
  for (const { at: step, ...kill } of kinds) {
    for (let at = step; await run({ ...kill, at }); at += step) {}
  }
  const [last] = (await runChild({ ...order, events: [] })).slice(-1)
  // Another way than the one that wrote.
  const view = await createFileSystem({ ...fileSystem, protocol: 'webhdfs' })
  const stored = await readEvents(storeOf(view), outputDirectory)
  expect(stored.unreadable).toEqual([])
  const found = stored.events.flatMap(({ fields }) => findEvents(Buffer.from(String(new Map(fields).get('id')))))
  expect(client.compare(found)).toEqual(allIsWell)
  expect(last).toEqual({ done: { pendingFiles: 0, totalFlushedEvents: found.length } })
  await view.close()
  const kills = [...killedAt.values()].reduce((sum, count) => sum + count, 0)
  expect(kills).toBeGreaterThanOrEqual(10)
  const steps = [...killedAt].map(([step, count]) => `${step} ${count}`).join(', ')
  return `${kills} kills (${steps}), ${client.acknowledged.size} of ${client.issued} events acknowledged, ${found.length} in the file system, each once`
}

/** One in this many operations is killed; a release run takes each one. */
const diskStep = isEveryCase ? 1 : 11
const fileSystemStep = isEveryCase ? 1 : 2

/** Which of the operations are killed. */
const fileSystemSteps = (['before', 'during', 'after'] as const).map(
  when => ({ of: 'file system', when, at: fileSystemStep }) as const,
)
const diskSteps = (['before', 'after'] as const).map(when => ({ of: 'disk', when, at: diskStep }) as const)

test.each([
  { format: 'parquet', kinds: [...fileSystemSteps, ...diskSteps] },
  // Its files grow with each event.
  { format: 'jsonl', kinds: diskSteps },
] as const)('R1: a kill at any step of log, seal and commit, $format, local file system', async ({ format, kinds }) => {
  const root = join(directory, 'fs')
  const done = await killAtEveryStep({ url: pathToFileURL(root).href }, { outputDirectory: '/events', format }, kinds)
  console.log(`kill -9 in every step, ${format}, local file system: ${done}`)
})

test('R23: a kill at steps of a drain, local file system', async () => {
  const root = join(directory, 'fs')
  // Every step of it is stopped at on a disk in memory, in the unit test.
  const done = await killAtEveryStep(
    { url: pathToFileURL(root).href },
    { outputDirectory: '/events', format: 'jsonl', ending: 'drain' },
    [
      { of: 'file system', when: 'before', at: 2 },
      { of: 'file system', when: 'after', at: 1 },
      { of: 'disk', when: 'after', at: 2 * diskStep },
    ],
  )
  console.log(`kill -9 in steps of a drain, local file system: ${done}`)
})

describeHdfs('with HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  test.each([
    ['native', 'fsync'],
    ['webhdfs', 'fsync'],
    ['native', 'replicated'],
  ] as const)('R7: a kill at any step of the commit, by %s, ack %s', async (protocol, ack) => {
    const settings = { url: namenodeUrl, webhdfs: [webhdfsUrl], protocol }
    const outputDirectory = `/kill-steps-${protocol}-${ack}-${process.pid}`
    const done = await killAtEveryStep(settings, { outputDirectory, format: 'jsonl', ack }, fileSystemSteps)
    console.log(`kill -9 in every step, HDFS by ${protocol}, ack ${ack}: ${done}`)
  })
})
