import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Inflow } from '../../../src/bytes/inflow.ts'

const bytes = (length: number, value = 1): Uint8Array => new Uint8Array(length).fill(value)

const watched = (windowBytes: number, isPaused = false) => {
  const told: string[] = []
  const tell = (what: string) => (): void => void told.push(what)
  const sender = { pause: tell('pause'), resume: tell('resume'), cancel: tell('cancel') }
  return { told, inflow: new Inflow(sender, { windowBytes, isPaused }) }
}

test('the sender waits when the window is full, and continues when there is space', async () => {
  const { told, inflow } = watched(10)
  inflow.push(bytes(9))
  expect(told).toEqual([])
  inflow.push(bytes(5))
  // What was on its way comes all the same.
  inflow.push(bytes(5))
  expect(told).toEqual(['pause'])
  await inflow.read()
  expect(told).toEqual(['pause'])
  await inflow.read()
  expect(told).toEqual(['pause', 'resume'])
})

test('who waits gets what comes without a window', async () => {
  const { told, inflow } = watched(1)
  const read = inflow.read()
  inflow.push(bytes(100))
  expect((await read)?.length).toBe(100)
  expect(told).toEqual([])
})

test('a sender that waits for the first read is notified of it', async () => {
  const { told, inflow } = watched(10, true)
  expect(told).toEqual([])
  const read = inflow.read()
  expect(told).toEqual(['resume'])
  inflow.end()
  expect(await read).toBeUndefined()
})

test('a failure comes behind what came before it, to every read from then on', async () => {
  const { inflow } = watched(10)
  inflow.push(bytes(3))
  inflow.fail(new Error('cut'))
  inflow.push(bytes(3))
  inflow.end()
  expect((await inflow.read())?.length).toBe(3)
  await expect(inflow.read()).rejects.toThrow('cut')
  await expect(inflow.read()).rejects.toThrow('cut')
})

test('a read that waits ends with a failure, an end, or because the rest is not wanted', async () => {
  const failed = watched(1)
  const read = failed.inflow.read()
  failed.inflow.fail(new Error('cut'))
  await expect(read).rejects.toThrow('cut')
  const left = watched(1)
  const other = left.inflow.read()
  left.inflow.cancel()
  expect(await other).toBeUndefined()
  expect(left.told).toEqual(['cancel'])
})

test('whatever comes when: all of it, in order', async () => {
  const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant('read' as const)))
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 20 }), async (all, window) => {
      const { told, inflow } = watched(window)
      const reads: Promise<Uint8Array | undefined>[] = []
      let value = 0
      let isWaiting = false
      for (const step of all) {
        if (step === 'read') {
          if (isWaiting) continue
          const read = inflow.read()
          isWaiting = true
          void read.then(() => {
            isWaiting = false
          })
          reads.push(read)
          for (let turn = 0; turn < 3; turn++) await Promise.resolve()
        } else {
          inflow.push(bytes(step, value++))
          for (let turn = 0; turn < 3; turn++) await Promise.resolve()
        }
      }
      inflow.end()
      const got = await Promise.all(reads)
      for (;;) {
        const next = await inflow.read()
        got.push(next)
        if (next === undefined) break
      }
      const sent = all.filter(step => step !== 'read').map((length, index) => [length, index])
      expect(got.flatMap(part => (part ? [[part.length, part[0]]] : []))).toEqual(sent)
      // Never twice the same.
      expect(told.every((what, index) => what === (index % 2 === 0 ? 'pause' : 'resume'))).toBe(true)
    }),
  )
})
