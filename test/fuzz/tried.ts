import { FormatError, SluiceError } from '../../src/errors.ts'

type ErrorClass = abstract new (...args: never) => Error

/** What the action gives; undefined where it throws an error that is expected. Other errors pass. */
export const tried = <T>(action: () => T, ...expected: readonly ErrorClass[]): T | undefined => {
  try {
    return action()
  } catch (error) {
    if ([FormatError, SluiceError, ...expected].some(one => error instanceof one)) return undefined
    throw error
  }
}
