import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FieldEvent, PayloadEvent, Sender } from '../../clients/tracker/index.ts'
import type { DemoEvent } from './one-hour.ts'

/** The senders of each way. */
export type Ways = Readonly<Record<'json' | 'smile', Sender<PayloadEvent>>> &
  Readonly<Record<'get1' | 'get2' | 'scribe', Sender<FieldEvent>>>

/** The outcome for the events. */
export type Sent = {
  readonly accepted: number
  /** Why the server refused the others, as a sentence each. */
  readonly refused: readonly string[]
}

type Batch = { readonly sender: Sender<never>; readonly records: readonly Uint8Array[] }

/** Events of a request by POST; by GET they go one by one. */
const batchEvents = 500
/** Batches on their way at the same time. */
const lanes = 6
/** A server that is busy says when it may be asked again; one that does not gets half a second. */
const retryMs = 500
const maxAttempts = 20
/** Senders have time limits of their own. */
const endless = new AbortController().signal

/**
 * Sends all events, each batch until the server has settled it.
 * @param onSettled called with how many events are settled so far
 * @throws Error a server that takes nothing, at the 20th attempt of a batch
 */
export const sendAll = async (
  events: Iterable<DemoEvent>,
  ways: Ways,
  onSettled: (count: number) => void,
): Promise<Sent> => {
  const batches = toBatches(events, ways)
  const refused: string[] = []
  let settled = 0
  const lane = async (): Promise<void> => {
    for (const batch of batches) {
      refused.push(...(await deliver(batch)))
      settled += batch.records.length
      onSettled(settled)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { accepted: settled - refused.length, refused }
}

/** Events that go the same way, together. */
function* toBatches(events: Iterable<DemoEvent>, ways: Ways): Generator<Batch> {
  const waiting = new Map<Batch['sender'], Uint8Array[]>()
  for (const { sender, record } of toRecords(events, ways)) {
    const records = waiting.get(sender) ?? []
    waiting.set(sender, records)
    records.push(record)
    if (records.length < batchEvents) continue
    waiting.delete(sender)
    yield { sender, records }
  }
  for (const [sender, records] of waiting) yield { sender, records }
}

function* toRecords(events: Iterable<DemoEvent>, ways: Ways) {
  for (const one of events) {
    if (one.way === 'json' || one.way === 'smile') {
      const sender = ways[one.way]
      yield { sender, record: sender.encode(one.event, 0) }
    } else {
      const sender = ways[one.way]
      yield { sender, record: sender.encode(one.event, 0) }
    }
  }
}

/** @returns a sentence for each event that was refused */
const deliver = async ({ sender, records }: Batch): Promise<readonly string[]> => {
  const key = `demo-${randomUUID()}`
  const refused: string[] = []
  let from = 0
  for (let attempt = 1; ; attempt++) {
    const outcome = await sender.send(records, { key, from, signal: endless })
    if (outcome.kind === 'too-large') throw new Error(`The server takes no batches of ${batchEvents} events`)
    if (outcome.kind === 'refused') return records.map(() => outcome.detail)
    refused.push(...(outcome.rejected ?? []).map(({ detail }) => detail))
    if (outcome.kind === 'settled') {
      const unlisted = Array.from({ length: outcome.unlisted ?? 0 }, () => 'for a reason that the server did not list')
      return [...refused, ...unlisted]
    }
    if (attempt === maxAttempts) throw outcome.error
    from = outcome.done ?? from
    await sleep(outcome.afterMs ?? retryMs)
  }
}
