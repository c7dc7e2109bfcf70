/** Compactions of one table, in processes of their own, that never rest: the passes of collectors, and `sluice compact`. */
import { setTimeout as pause } from 'node:timers/promises'
import type { PassNews } from '../../../../src/compaction/hourly/news.ts'
import { createStartPassProcess } from '../../../../src/compaction/hourly/pass-process.ts'
import { loadConfig } from '../../../../src/config/config.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { type CliResult, runCli } from '../../../suites/run-cli.ts'
import { keepSending } from '../../../suites/senders/traffic.ts'
import type { Answer, Gate } from '../faults/gate.ts'

export type Compactions = {
  /** Begins, and goes on until {@link Compactions.stop}, which kills those that are at work. */
  start(): void
  stop(): Promise<void>
  /** Faults, by their names. */
  readonly faults: Readonly<Record<string, () => Promise<boolean>>>
  /** A command that sees to all that is left, alone. @throws Error it did not */
  finish(): Promise<void>
  /** What no fault excuses. */
  readonly oddities: readonly string[]
  /** How many ended by themselves. */
  readonly counts: { readonly passes: number; readonly commands: number }
}

export type CompactionsOptions = {
  readonly table: string
  readonly settings: readonly string[]
  /** Of commits. */
  readonly gate: Gate
  readonly random: () => number
}

/** One of them. */
type Work = {
  readonly end: () => void
  readonly ended: Promise<unknown>
  /** Before, there is nothing to disturb. */
  isAtWork: boolean
  isKilled: boolean
}

const mebibyte = 1024 * 1024
/** Files that stay, beside others that are read for their ids, and files that are made anew each time. */
const targets = [16 * 1024, 512 * mebibyte]
const restMs = 500
/** Steps of commits until one is killed. */
const maxSteps = 8

const module = new URL('../../../../src/app/compaction/compaction-process.ts', import.meta.url)

export const createCompactions = ({ table, settings, gate, random }: CompactionsOptions): Compactions => {
  const assignments = settings.flatMap(setting => ['--set', setting])
  const setup = loadConfig({ argv: assignments, env: {}, cwd: '/', readFile: () => '' }).settings
  const startPass = createStartPassProcess({ module, setup: () => setup, logger: silentLogger })
  const oddities: string[] = []
  const counts = { passes: 0, commands: 0 }
  const works = new Map<keyof typeof counts, Work>()
  let isOver = false

  /** @returns whether it ended by itself */
  const follow = async (kind: keyof typeof counts, work: Work): Promise<boolean> => {
    works.set(kind, work)
    await work.ended
    works.delete(kind)
    if (!work.isKilled) counts[kind]++
    return !work.isKilled
  }
  const pass = async (targetBytes: number): Promise<void> => {
    const news: PassNews[] = []
    const scope = { merges: true, retention: new Map<string, number>(), afterMs: 0, targetBytes, skip: [], last: [] }
    const started = startPass(scope, one => {
      news.push(one)
      work.isAtWork ||= one.kind === 'begins'
    })
    const { ended } = started
    const work: Work = { end: () => started.kill(), ended, isAtWork: false, isKilled: false }
    const endedItself = await follow('passes', work)
    for (const one of news) if (one.kind === 'failed') oddities.push(`pass: ${one.reason}`)
    if (endedItself && news.at(-1)?.kind !== 'done') oddities.push(`pass ${await ended}`)
  }
  const runCommand = (signal?: AbortSignal): Promise<CliResult> =>
    runCli(['compact', table, '--json', ...assignments], signal ? { signal } : {})
  const command = async (): Promise<void> => {
    const stop = new AbortController()
    const ended = runCommand(stop.signal)
    const work: Work = { end: () => stop.abort(), ended, isAtWork: true, isKilled: false }
    if ((await follow('commands', work)) && !isExpected(await ended))
      oddities.push(`command: ${JSON.stringify(await ended)}`)
  }
  const pick = (): number => targets[Math.floor(random() * targets.length)] ?? mebibyte
  const loops: { stop(): Promise<void> }[] = []
  const kill = async (work: Work): Promise<void> => {
    work.isKilled = true
    work.end()
    await work.ended
  }
  /** @returns whether one was at work */
  const killOne = async (kind: keyof typeof counts): Promise<boolean> => {
    const work = works.get(kind)
    if (!work?.isAtWork) return false
    await kill(work)
    return true
  }
  const killAtStep = async (kind: keyof typeof counts): Promise<boolean> => {
    let isDone = false
    const isMet = await gate.meet(Math.floor(random() * maxSteps), async (): Promise<Answer> => {
      isDone = await killOne(kind)
      return 'passes'
    })
    return isMet && isDone
  }
  const rested = (work: () => Promise<unknown>) => async (): Promise<void> => {
    await pause(random() * restMs)
    if (!isOver) await work()
  }
  return {
    start: () => void loops.push(keepSending(rested(() => pass(pick()))), keepSending(rested(command))),
    stop: async () => {
      isOver = true
      await Promise.all([...works.values()].map(kill))
      await Promise.all(loops.map(loop => loop.stop()))
    },
    faults: {
      'pass killed': () => killOne('passes'),
      'pass killed at a step': () => killAtStep('passes'),
      'command killed': () => killOne('commands'),
      'command killed at a step': () => killAtStep('commands'),
    },
    finish: async () => {
      const result = await runCommand()
      if (result.code !== 0) throw new Error(JSON.stringify(result))
    },
    oddities,
    counts,
  }
}

/** All is done, or the other one was faster in an hour: its files, then, are no longer there. */
const isExpected = ({ code, stdout, stderr }: CliResult): boolean =>
  code === 0 || (code === 1 && /another (?:writer|compaction)/.test(stdout + stderr))
