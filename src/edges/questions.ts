import { fromErrorFields } from '../errors.ts'
import type { Waiter } from '../runtime/deferred.ts'
import type { DeskAnswer } from './event-messages.ts'

/** What was asked of the desk, until it is answered. */
export type Questions<T> = {
  /** @returns the number that the answer has */
  ask(waiter: Waiter<T>): number
  hear(answers: readonly DeskAnswer<T>[]): void
  /** There will be no answer. */
  fail(error: unknown): void
}

export const createQuestions = <T>(): Questions<T> => {
  let last = 0
  const asked = new Map<number, Waiter<T>>()
  return {
    ask: waiter => {
      asked.set(++last, waiter)
      return last
    },
    hear: answers => {
      for (const answer of answers) {
        const waiter = asked.get(answer.id)
        asked.delete(answer.id)
        if ('error' in answer) waiter?.failed(fromErrorFields(answer.error))
        else waiter?.done(answer.value)
      }
    },
    fail: error => {
      const waiters = [...asked.values()]
      asked.clear()
      for (const waiter of waiters) waiter.failed(error)
    },
  }
}
