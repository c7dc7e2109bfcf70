import { expect, test } from 'vitest'
import { createInterrupt } from '../../../src/filesystem/interrupt.ts'

const never = new Promise<never>(() => {})

test('a step that is first gives its result', async () => {
  const interrupt = createInterrupt(never)
  expect(await interrupt.race(Promise.resolve(1))).toBe(1)
  await expect(interrupt.race(Promise.reject(new Error('step')))).rejects.toThrow('step')
  expect(await interrupt.race(Promise.resolve(2))).toBe(2)
})

test('the long-lived promise cuts a waiting step short, and every one after it', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const interrupt = createInterrupt(promise)
  const waiting = interrupt.race(never)
  resolve('stop')
  expect(await waiting).toBe('stop')
  expect(await interrupt.race(never)).toBe('stop')
})

test('the long-lived promise cuts all steps short that wait at the time', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const interrupt = createInterrupt(promise)
  const { promise: step, resolve: end } = Promise.withResolvers<string>()
  const waiting = [interrupt.race(never), interrupt.race(step), interrupt.race(never)]
  end('step')
  await step
  resolve('stop')
  expect(await Promise.all(waiting)).toEqual(['stop', 'step', 'stop'])
})

test('its rejection is the answer too', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  const interrupt = createInterrupt(promise)
  const waiting = interrupt.race(never)
  reject(new Error('aborted'))
  await expect(waiting).rejects.toThrow('aborted')
  await expect(interrupt.race(never)).rejects.toThrow('aborted')
})

test('what came before is not kept by the promise that lives on', async () => {
  const interrupt = createInterrupt(never)
  const chunks: WeakRef<object>[] = []
  for (let i = 0; i < 20; i++) {
    const chunk = { bytes: new Uint8Array(1_000) }
    chunks.push(new WeakRef(chunk))
    await interrupt.race(Promise.resolve(chunk))
  }
  const { setFlagsFromString } = await import('node:v8')
  const { runInNewContext } = await import('node:vm')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A weak reference that was made or read holds on until the turn ends.
  await new Promise(resolve => setImmediate(resolve))
  collect()
  expect(chunks.filter(chunk => chunk.deref() !== undefined).length).toBeLessThan(3)
})
