import type { LinkOptions } from './link.ts'
import type { Message } from './message.ts'

/** How often the refusals of a type are logged. */
const everyMs = 60_000

/** Logs messages that the broker did not get, by name: the first of a type at once, then once a minute how many there were. */
export const createRefusedMessageLog = (log: LinkOptions['log'], now: () => number = Date.now) => {
  const byType = new Map<string, { saidAt: number; messages: number }>()
  return ({ eventName: type, bytes, key }: Message, reason: string): void => {
    const said = byType.get(type) ?? { saidAt: Number.NEGATIVE_INFINITY, messages: 0 }
    byType.set(type, said)
    said.messages++
    if (now() - said.saidAt < everyMs) return
    log.warn({ type, messages: said.messages, bytes, ...(key === undefined ? {} : { key }), reason }, text)
    said.saidAt = now()
    said.messages = 0
  }
}

const text = 'the broker refused messages, which count as errored; the last one is shown'
