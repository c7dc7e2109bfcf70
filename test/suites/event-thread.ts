/** A thread that takes events: runs a door, and answers what the test asks of it. */
import { parentPort, workerData } from 'node:worker_threads'
import { createFilters } from '../../src/collector/filters.ts'
import { defaultCollectorSettings } from '../../src/collector/settings.ts'
import { createValidator } from '../../src/collector/validation/validator.ts'
import { createRemoteDoor } from '../../src/edges/remote-door.ts'
import { get, post } from '../unit/collector/fakes.ts'
import type { AskedOfThread, EventThreadData, ThreadAnswer } from './event-threads.ts'

const { port, start, settings: given = {}, fields, refusesMismatches = false } = workerData as EventThreadData
const settings = { ...defaultCollectorSettings, ...given }

const door = createRemoteDoor({
  port,
  start,
  settings: () => settings,
  clock: { now: Date.now, monotonicMs: () => performance.now() },
  filters: createFilters(settings.filters),
  validate:
    fields && createValidator({ lookup: name => fields[name], mode: () => (refusesMismatches ? 'reject' : 'warn') }),
})

const answer = async ({ id, kind, text, init, spinMs = 0 }: AskedOfThread): Promise<void> => {
  const answered = kind === 'post' ? post(door, text, init) : get(door, String(text), init)
  // Until it is over nothing that was taken is handed over.
  for (const until = performance.now() + spinMs; performance.now() < until; );
  const { status, headers, body } = await answered.then(
    async response => ({ status: response.status, headers: [...response.headers], body: await response.text() }),
    (error: Error) => ({ status: 0, headers: [], body: error.name }),
  )
  parentPort?.postMessage({ id, status, headers, body } satisfies ThreadAnswer)
}

parentPort?.on('message', (asked: AskedOfThread) => void answer(asked))
