import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { toMark } from '../marks.ts'
import { type Sending, typeOf } from './traffic.ts'

/** A program of its own that tracks the given events. */
export type NodeTracker = {
  /** Has it track this many more events. */
  track(count: number): void
  /** Events on its disk; requests that were answered, and that were not. */
  readonly counts: Readonly<Record<'safe' | 'answered' | 'failed', number>>
  /** Ends it in order; every event that it then says was accepted counts as acknowledged. Resolves to its figures. */
  finish(): Promise<Readonly<Record<string, number>>>
  kill(): void
}

/** Starts it, with its spool in `directory`. */
export const startNodeTracker = (url: string, directory: string, { issue, acknowledge }: Sending): NodeTracker => {
  const script = resolve('test/suites/senders/node-tracker-child.ts')
  const child = spawn(process.execPath, [script, url, directory], { stdio: ['pipe', 'pipe', 'inherit'] })
  // Writing to one that has ended shows in its missing output.
  child.stdin.on('error', () => {})
  const counts = { safe: 0, answered: 0, failed: 0 }
  const tracked: number[] = []
  let figures: Readonly<Record<string, number>> = {}
  const lines = createInterface(child.stdout)
  lines.on('line', line => {
    if (line === 'safe' || line === 'answered' || line === 'failed') counts[line]++
    else figures = JSON.parse(line)
  })
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')])
  return {
    track: count => {
      for (let i = 0; i < count; i++) {
        const event = issue()
        tracked.push(event)
        child.stdin.write(`${JSON.stringify({ eventName: typeOf(event), payload: { mark: toMark(event) } })}\n`)
      }
    },
    counts,
    finish: async () => {
      child.stdin.end()
      await ended
      if (figures['accepted'] === tracked.length) acknowledge(...tracked)
      return figures
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
