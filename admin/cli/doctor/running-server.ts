import type { Settings } from '../../../src/config/table.ts'
import { toBytes, toCount } from '../print/units.ts'
import { askLocal, type ListenerAddress, type LocalAnswer } from './ask-local.ts'
import { type DoctorCheck, fail, ok } from './check.ts'

/** A server with these settings that runs on this machine, by its listeners. */
export type RunningServer = {
  readonly collector: ListenerAddress | undefined
  readonly gateway: ListenerAddress | undefined
}

/** Whether a server that runs here takes events and reads; what it refuses, with the figure, the setting and ways out. */
export const checkRunning = async (
  { collector, gateway }: RunningServer,
  settings: Settings,
): Promise<readonly DoctorCheck[]> => [
  ...(collector === undefined ? [] : await checkEvents(collector, settings)),
  ...(gateway === undefined ? [] : await checkReads(gateway)),
]

const checkEvents = async (address: ListenerAddress, settings: Settings): Promise<readonly DoctorCheck[]> => {
  const ready = await askLocal(address, '/readyz')
  if (ready?.status === 503) return [toRefusal(ready.text.trim())]
  // The answer that the event would get; nothing is recorded.
  const event = await askLocal(address, '/1?v=Doctor', 'HEAD')
  if (event?.status === 503) return [toQueueRefusal(settings)]
  const errors = toErrorItems(await askLocal(address, '/1.0/healthcheck'))
  return errors.length > 0 ? errors : [ok('events', 'the server takes them')]
}

/** What a server that refuses events says of itself, and what helps. The first that fits counts. */
const refusals: readonly { readonly says: RegExp; readonly advice: string }[] = [
  {
    says: /free/,
    advice:
      'Free space on that disk, or move the spool to a larger one (collector.diskspool.path). Or lower collector.diskspool.min-free-bytes, which may change while the server runs.',
  },
  {
    says: /drained/,
    advice: 'Take events again with `sluice drain --undo`, or send them to another collector and end this one.',
  },
  {
    says: /shutting down|draining/,
    advice: 'It ends by itself: start it again, or send events to another collector until it is back.',
  },
  {
    says: /cannot be written/,
    advice:
      'Repair the disk; the server retries. Or restart it with collector.diskspool.path on another disk, and deliver the old spool with `sluice spool adopt`.',
  },
]

const toRefusal = (reason: string): DoctorCheck =>
  fail(
    'events',
    `the server refuses them with 503: ${reason}`,
    refusals.find(({ says }) => says.test(reason))?.advice ??
      'Look for the first ERROR in its log, or restart it; events that were acknowledged are kept.',
  )

const toQueueRefusal = (settings: Settings): DoctorCheck => {
  const events = toCount(settings['collector.max-event-queue-size'])
  const bytes = toBytes(settings['collector.max-inflight-bytes'])
  return fail(
    'events',
    `the server refuses them with 503: ${events} events (collector.max-event-queue-size) or ${bytes} (collector.max-inflight-bytes) are in work`,
    'Raise these settings where there is memory for it, or spread the senders over more collectors. Senders that retry lose nothing.',
  )
}

/** Items of the health report for which it is a 503. */
const toErrorItems = (answer: LocalAnswer | undefined): readonly DoctorCheck[] => {
  if (answer?.status !== 503) return []
  try {
    const { items } = JSON.parse(answer.text) as { readonly items: readonly Readonly<Record<string, string>>[] }
    return items
      .filter(({ code }) => code === 'ERROR')
      .map(({ type = '', message = '' }) =>
        fail(
          `health, ${type.replace(/HealthCheck$/, '')}`,
          message,
          'See which files are missing with `sluice spool verify`, and bring them back from a copy while the server is stopped. Or accept the loss: the report is right again after a restart.',
        ),
      )
  } catch {
    return []
  }
}

const checkReads = async (address: ListenerAddress): Promise<readonly DoctorCheck[]> => {
  const answer = await askLocal(address, '/rest/1.0/json?path=/&limit=1')
  if (answer?.status !== 503) return [ok('reads', 'the gateway answers')]
  const { detail } = toProblem(answer.text)
  return [
    /gateway\.max-reads/.test(detail)
      ? fail(
          'reads',
          `the gateway refuses them with 503: ${detail}`,
          'Raise gateway.max-reads if memory allows, or stop reads that are not needed: each is a request in progress.',
        )
      : fail(
          'reads',
          `the gateway answers 503: ${detail}`,
          'Fix the first failing step of the file system above, or mount another cluster. Until then events wait on the disk of the collector.',
        ),
  ]
}

const toProblem = (text: string): { readonly detail: string } => {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown }
    return { detail: typeof detail === 'string' ? detail : '' }
  } catch {
    return { detail: '' }
  }
}
