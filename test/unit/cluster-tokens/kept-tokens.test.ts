import { expect, test } from 'vitest'
import { createKeptTokens } from '../../../src/cluster-tokens/kept-tokens.ts'
import { RemoteException } from '../../../src/filesystem/cluster/remote-exception.ts'
import { FileSystemError, type FileSystemErrorCode } from '../../../src/filesystem/filesystem.ts'
import type { ClusterCall, WebHdfsClient } from '../../../src/filesystem/webhdfs/client.ts'

const renewMs = 1_000
const maxMs = 3_000

/** A cluster that issues tokens, whose clock is far from ours, and time that passes on request. */
const createWorld = () => {
  let time = 0
  /** Of the cluster: 3 h ahead. */
  const clusterTime = (): number => time + 10_800_000
  const timers = new Set<{ readonly at: number; readonly call: () => void }>()
  const later = (ms: number, call: () => void) => {
    const timer = { at: time + ms, call }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const tokens = new Map<string, { readonly user: string | undefined; end: number; readonly max: number }>()
  const calls: string[] = []
  let fail: FileSystemErrorCode | undefined
  let hold: Promise<void> | undefined
  let issued = 0

  const json = async (user: string | undefined, { op, params = {} }: ClusterCall): Promise<unknown> => {
    const token = String(params['token'] ?? '')
    calls.push(token === '' ? `${op} ${user ?? '-'}` : `${op} ${token}`)
    await hold
    if (fail) throw new FileSystemError(fail, '/', `Cannot get a delegation token for "/": failed`)
    if (op === 'GETDELEGATIONTOKEN') {
      expect(params).toEqual({ renewer: 'sluice/h@R' })
      const name = `t${++issued}`
      tokens.set(name, { user, end: clusterTime() + renewMs, max: clusterTime() + maxMs })
      return { Token: { urlString: name } }
    }
    const known = tokens.get(token)
    if (!known || known.end < clusterTime()) throw notKnown()
    if (op === 'CANCELDELEGATIONTOKEN') return void tokens.delete(token)
    known.end = Math.min(known.max, clusterTime() + renewMs)
    return { long: known.end }
  }
  const clientOf = (user: string | undefined): WebHdfsClient => ({
    json: call => json(user, call),
    redirect: () => Promise.reject(new Error('unused')),
    handedOn: () => Promise.reject(new Error('unused')),
    jsonAt: () => Promise.reject(new Error('unused')),
    as: clientOf,
    close: async () => {},
  })
  const logged: string[] = []
  const log = {
    info: (_: object, message: string) => logged.push(message),
    warn: (_: object, message: string) => logged.push(`! ${message}`),
  }
  const kept = createKeptTokens({
    client: clientOf(undefined),
    renewer: 'sluice/h@R',
    log,
    issueDateOf: token => (tokens.get(token)?.max ?? 0) - maxMs,
    now: () => time,
    later,
  })
  return {
    kept,
    calls,
    tokens,
    logged,
    later: () => timers.size,
    fail: (code: FileSystemErrorCode | undefined) => {
      fail = code
    },
    hold: (until: Promise<void> | undefined) => {
      hold = until
    },
    /** Lets time pass, timer by timer. */
    pass: async (ms: number) => {
      const end = time + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        timers.delete(next)
        time = next.at
        next.call()
        await settle()
      }
      time = end
      await settle()
    },
  }
}

/** As Hadoop says it of one that was cancelled or has ended. */
const notKnown = (): FileSystemError =>
  new FileSystemError('unavailable', '/', 'Cannot x "/": not in the cache', {
    cause: new RemoteException('InvalidToken', 403, 'not in the cache'),
  })

/** Everything that can continue without time has done so. */
const settle = () => new Promise<void>(resolve => setImmediate(resolve))

test('a token is fetched once for all who wait, and renewed to know its life; users have their own', async () => {
  const { kept, calls } = createWorld()
  expect(await Promise.all([kept.get(undefined), kept.get(undefined), kept.get('bob')])).toEqual(['t1', 't1', 't2'])
  expect(await kept.get(undefined)).toBe('t1')
  expect(calls.toSorted()).toEqual([
    'GETDELEGATIONTOKEN -',
    'GETDELEGATIONTOKEN bob',
    'RENEWDELEGATIONTOKEN t1',
    'RENEWDELEGATIONTOKEN t2',
  ])
})

test('R20: through 24 lives there is always a token that the cluster takes, renewed at three quarters, replaced before its end', async () => {
  const { kept, calls, tokens, pass } = createWorld()
  await kept.get(undefined)
  for (let step = 0; step < 240; step++) {
    await pass(renewMs / 10)
    const token = await kept.get(undefined)
    const { end = 0 } = tokens.get(token) ?? {}
    expect(end - 10_800_000).toBeGreaterThan((step + 1) * (renewMs / 10))
  }
  const count = (op: string) => calls.filter(call => call.startsWith(op)).length
  expect(count('GETDELEGATIONTOKEN')).toBeGreaterThanOrEqual(8)
  expect(count('GETDELEGATIONTOKEN')).toBeLessThan(12)
  expect(count('RENEWDELEGATIONTOKEN')).toBeLessThan(60)
})

test('R20: one that the cluster does not know any more is replaced when a call hears of it, and at the latest when it is to be renewed', async () => {
  const { kept, tokens, pass } = createWorld()
  const first = await kept.get(undefined)
  await pass(1_000)
  kept.refused(undefined, 'some other one')
  expect(await kept.get(undefined)).toBe(first)
  kept.refused(undefined, first)
  expect(await kept.get(undefined)).toBe('t2')
  tokens.delete('t2')
  await pass(renewMs * 0.75)
  expect(await kept.get(undefined)).toBe('t3')
})

test('R20: while it cannot be renewed the token is used to its end; what comes after fails until there is a token again', async () => {
  const { kept, calls, fail, pass, logged } = createWorld()
  await kept.get(undefined)
  fail('unavailable')
  await pass(renewMs - 1)
  expect(await kept.get(undefined)).toBe('t1')
  expect(logged).toContain('! a delegation token could not be renewed')
  await pass(2)
  await expect(kept.get(undefined)).rejects.toMatchObject({ code: 'unavailable' })
  const before = calls.length
  await expect(kept.get(undefined)).rejects.toMatchObject({ code: 'unavailable' })
  expect(calls.length, 'a failure is told again for a second').toBe(before)
  fail(undefined)
  await pass(5_000)
  expect(await kept.get(undefined)).toMatch(/^t\d+$/)
})

test('R20: nobody renews a token that has ended: it is replaced for the first who comes', async () => {
  const { kept, calls, fail, pass, later } = createWorld()
  await kept.get(undefined)
  fail('unavailable')
  await pass(2 * renewMs)
  const before = calls.length
  await pass(3_600_000)
  expect(calls.length, 'nobody came').toBe(before)
  expect(later()).toBe(0)
  fail(undefined)
  expect(await kept.get(undefined)).toBe('t2')
})

test('R20: a cluster that takes no token at all is asked for one a second, however many calls it refuses', async () => {
  const { kept, calls, pass } = createWorld()
  for (let call = 0; call < 300; call++) {
    kept.refused(undefined, await kept.get(undefined))
    await pass(10)
  }
  expect(calls.filter(call => call.startsWith('GET'))).toHaveLength(3)
})

test('the objections of the cluster to a user are passed on', async () => {
  const { kept, fail } = createWorld()
  fail('denied')
  await expect(kept.get('bob')).rejects.toMatchObject({ code: 'denied' })
})

test('the token of a user who does not come again is given back', async () => {
  const { kept, calls, pass, tokens } = createWorld()
  await kept.get('bob')
  await pass(renewMs * 0.8)
  expect([...tokens.keys()], 'it was used since').toEqual(['t1'])
  await pass(renewMs)
  expect(calls.at(-1)).toBe('CANCELDELEGATIONTOKEN t1')
  expect(tokens.size).toBe(0)
  expect(await kept.get('bob')).toBe('t2')
})

test('the wait for a token is limited', async () => {
  const { kept, hold, pass } = createWorld()
  const open = Promise.withResolvers<void>()
  hold(open.promise)
  const waiting = expect(kept.get(undefined)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('no delegation token came within'),
  })
  await settle()
  await pass(15_000)
  await waiting
  open.resolve()
  await settle()
  expect(await kept.get(undefined), 'what came late is used').toBe('t1')
})

test('at the stop all are given back, also one that comes later; what cannot be given back holds nothing up', async () => {
  const { kept, tokens, hold, later } = createWorld()
  await Promise.all([kept.get(undefined), kept.get('bob')])
  const open = Promise.withResolvers<void>()
  hold(open.promise)
  const late = kept.get('carol')
  await settle()
  hold(undefined)
  await kept.close()
  expect(tokens.size).toBe(0)
  open.resolve()
  await late
  await settle()
  expect([...tokens.values()]).toEqual([])
  expect(later(), 'no timer is left').toBe(0)

  const other = createWorld()
  await other.kept.get(undefined)
  other.fail('unavailable')
  await other.kept.close()
})

test('a cluster that says nothing holds a stop up for 5 s, and no longer', async () => {
  const { kept, hold, pass } = createWorld()
  await kept.get(undefined)
  hold(new Promise(() => {}))
  let isOver = false
  const closing = kept.close().then(() => {
    isOver = true
  })
  await pass(4_999)
  expect(isOver).toBe(false)
  await pass(1)
  await closing
})
