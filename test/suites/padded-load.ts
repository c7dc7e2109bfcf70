import { toMark } from './marks.ts'
import type { Sluice } from './sluice-process.ts'

/** Clients that send long events, to fill a disk with, and count how they were answered. */
export type PaddedLoad = {
  /** Requests by the status of their answer; `none` without an answer. */
  readonly answers: ReadonlyMap<number | 'none', number>
  stop(): Promise<void>
}

const eventsPerRequest = 10

/**
 * Starts this many clients, whose events are noted in the server's ledger; they continue through kills until stopped.
 */
export const startPaddedLoad = (server: Sluice, connections: number, padBytes: number): PaddedLoad => {
  const pad = '.'.repeat(padBytes)
  const answers = new Map<number | 'none', number>()
  let isOver = false

  const send = async (): Promise<number | 'none'> => {
    const events = Array.from({ length: eventsPerRequest }, () => server.client.issue())
    const body = JSON.stringify(events.map(n => ({ eventName: 'Padded', payload: { id: toMark(n), pad } })))
    try {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${server.urls()?.['server']}/rest/1.0/event`, { method: 'POST', headers, body })
      await response.arrayBuffer()
      if (response.status === 202) server.client.acknowledge(...events)
      return response.status
    } catch {
      return 'none'
    }
  }
  const client = async (): Promise<void> => {
    while (!isOver) {
      const answer = await send()
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      // Refusals are immediate: without a pause they would be all that the machine is busy with.
      if (answer !== 202) await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  const clients = Promise.all(Array.from({ length: connections }, client))
  return {
    answers,
    stop: async () => {
      isOver = true
      await clients
    },
  }
}
