import { expect, test } from 'vitest'
import { Deferred, toPromise, type Waiter } from '../../../src/runtime/deferred.ts'

class Value extends Deferred<number> {
  come(value: number): void {
    this.settle(value)
  }

  break(error: Error): void {
    this.fail(error)
  }
}

const listen = (): { readonly heard: unknown[]; readonly waiter: Waiter<number> } => {
  const heard: unknown[] = []
  return { heard, waiter: { done: value => heard.push(value), failed: error => heard.push(error) } }
}

const mistake = new Error('none')

test.each([
  ['a value', (value: Value) => value.come(7), 7],
  ['a failure', (value: Value) => value.break(mistake), mistake],
])('%s is told at once, whether it comes before somebody waits or after', (_, happen, expected) => {
  const early = new Value()
  happen(early)
  const first = listen()
  early.tell(first.waiter)
  expect(first.heard).toEqual([expected])

  const late = new Value()
  const second = listen()
  late.tell(second.waiter)
  expect(second.heard).toEqual([])
  happen(late)
  expect(second.heard).toEqual([expected])
})

test('as a promise it resolves or rejects, also with what is thrown at the start', async () => {
  const good = new Value()
  const bad = new Value()
  const promises = [good.promise(), bad.promise()]
  good.come(7)
  bad.break(mistake)
  expect(await Promise.allSettled(promises)).toMatchObject([{ value: 7 }, { reason: mistake }])
  await expect(
    toPromise(() => {
      throw mistake
    }),
  ).rejects.toBe(mistake)
})
