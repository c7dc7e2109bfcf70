import { BeanError } from '../src/beans/bean-error.ts'

/** Beans whose attributes one request may read, over all calls of its batch. */
export const maxBeansRead = 20_000

/** A limit for the beans that one request may read. */
export const createBudget = (): ((beans: number) => void) => {
  let spent = 0
  return beans => {
    spent += beans
    if (spent > maxBeansRead) {
      throw new BeanError('too-many', `One request may read ${maxBeansRead} beans; narrow the patterns`)
    }
  }
}
