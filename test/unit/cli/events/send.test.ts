import { describe, expect, test } from 'vitest'
import { unreachableError } from '../../../../admin/cli/command/failure.ts'
import type { EventBatch } from '../../../../admin/cli/events/event-files.ts'
import { sendBatches } from '../../../../admin/cli/events/send.ts'
import type { GatewayCalls } from '../../../../admin/cli/files/gateway.ts'

type Answer = Response | Error
const taken = (accepted: number): Response => Response.json({ accepted, rejected: 0, errors: [] }, { status: 202 })
const busy = (): Response => Response.json({ code: 'overloaded' }, { status: 503, headers: { 'retry-after': '3' } })
const lost = (): Error => unreachableError('http://h', 'server-url', new Error('socket hang up'))
const batch = (events: number): EventBatch => ({ body: new Uint8Array(), events })

const gatewayOf = (answers: Answer[]) => {
  const keys: (string | undefined)[] = []
  const send: GatewayCalls['send'] = (_path, _query, options) => {
    keys.push(options?.headers?.['idempotency-key'])
    const answer = answers.shift() ?? new Error('no answer is left')
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  return { keys, gateway: { send, call: send } }
}

const waits: number[] = []
const wait = (ms: number): Promise<void> => {
  waits.push(ms)
  return Promise.resolve()
}

describe('sendBatches', () => {
  test('an overload and a lost answer are retried with the same key, another request has another', async () => {
    const { gateway, keys } = gatewayOf([busy(), lost(), taken(2), taken(1)])
    waits.length = 0
    expect(await sendBatches(gateway, [batch(2), batch(1)], 'jsonl', { wait })).toMatchObject({
      accepted: 3,
      refused: 0,
    })
    expect(waits[0]).toBe(3_000)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[3]).not.toBe(keys[0])
  })

  test('says while it waits that it is refused, why, and for how long', async () => {
    const full = Response.json(
      { code: 'overloaded', detail: 'The disk of the spool is full' },
      { status: 503, headers: { 'retry-after': '10' } },
    )
    const { gateway } = gatewayOf([full, lost(), taken(1)])
    const told: string[] = []
    const onRetry = (reason: string, ms: number): void => void told.push(`${reason} ${ms}`)
    await sendBatches(gateway, [batch(1)], 'jsonl', { wait, onRetry })
    expect(told).toEqual([
      'The server refuses: The disk of the spool is full 10000',
      'Nothing answers at http://h (socket hang up) 2000',
    ])
  })

  test('a missing server is reported at once; the retries end', async () => {
    const refused = unreachableError('http://h', 'server-url', new Error('connection refused'))
    const none = gatewayOf([refused])
    await expect(sendBatches(none.gateway, [batch(1)], 'jsonl', { wait })).rejects.toMatchObject({ exitCode: 3 })
    expect(none.keys).toHaveLength(1)
    const overloaded = gatewayOf(Array.from({ length: 9 }, busy))
    await expect(sendBatches(overloaded.gateway, [batch(1)], 'jsonl', { wait })).rejects.toMatchObject({
      code: 'overloaded',
      hint: expect.stringContaining('sluice status'),
    })
    expect(overloaded.keys).toHaveLength(5)
  })

  test('lines that are refused as a whole do not hold up others; what was accepted before an end is reported', async () => {
    const problem = (status: number) => Response.json({ code: 'c', detail: 'why' }, { status })
    const { gateway } = gatewayOf([problem(400), taken(3)])
    expect(await sendBatches(gateway, [batch(2), batch(3)], 'jsonl', { wait })).toEqual({
      accepted: 3,
      refused: 2,
      mismatched: 0,
      errors: [{ event: 1, code: 'c', detail: 'why' }],
    })
    const denied = gatewayOf([taken(3), problem(403)])
    await expect(sendBatches(denied.gateway, [batch(3), batch(3)], 'jsonl', { wait })).rejects.toMatchObject({
      code: 'c',
      hint: '3 events before it were accepted.',
    })
  })
})
