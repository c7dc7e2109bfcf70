import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RejectedEvent } from '../../../clients/tracker/index.ts'
import type { Outcome, Sender } from '../../../clients/tracker/sender.ts'
import { createTracker, type Tracker, type TrackerOptions } from '../../../clients/tracker/tracker.ts'

/** A directory that goes with the test. */
export const makeDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-tracker-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const settled: Outcome = { kind: 'settled', rejected: [] }
export const busy = { kind: 'retry', error: new Error('busy') } as const satisfies Outcome

type Answer = Outcome | ((events: readonly string[], signal: AbortSignal) => Outcome | Promise<Outcome>)

/** A sender whose events are strings, and that answers as the test says; `settled` once the answers are used up. */
export const createFakeSender = (...answers: Answer[]) => {
  const sent: { readonly key: string; readonly from: number; readonly events: readonly string[] }[] = []
  const sender: Sender<string> = {
    form: 'fake',
    encode: event => {
      if (event === 'unwritable') throw new TypeError('Cannot send this')
      return Buffer.from(event)
    },
    describe: record => Buffer.from(record).toString(),
    send: async (records, { key, from, signal }) => {
      const events = records.map(record => Buffer.from(record).toString())
      sent.push({ key, from, events })
      const answer = answers.shift() ?? settled
      return typeof answer === 'function' ? await answer(events, signal) : answer
    },
    close: () => {},
  }
  return { sender, sent, answers }
}

/** Timers that run when the test says so. */
export const createTimers = () => {
  const waiting = new Map<object, { readonly ms: number; readonly run: () => void }>()
  return {
    schedule: (ms: number, run: () => void) => {
      const id = {}
      waiting.set(id, { ms, run })
      return () => void waiting.delete(id)
    },
    waiting: () => [...waiting.values()].map(({ ms }) => ms),
    /** Runs all that wait now. */
    fire: () => {
      const all = [...waiting.values()]
      waiting.clear()
      for (const { run } of all) run()
    },
  }
}

/** A tracker that sends on request, with its reports about events. */
export const openTracker = async (
  options: Partial<TrackerOptions<string>> & Pick<TrackerOptions<string>, 'sender' | 'directory'>,
) => {
  const rejected: RejectedEvent[] = []
  const errors: string[] = []
  const timers = createTimers()
  const tracker: Tracker<string> = await createTracker({
    onRejected: one => rejected.push(one),
    onError: error => errors.push(error.message),
    schedule: timers.schedule,
    backoff: { random: () => 1 },
    ...options,
  })
  onTestFinished(async () => void (await tracker.close()))
  return { tracker, rejected, errors, timers }
}
