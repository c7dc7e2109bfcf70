import { startTimeout } from '../../../src/runtime/timers.ts'
import { reasonOf } from '../../client/errors.ts'

/** One thing that was looked at. */
export type DoctorCheck = {
  readonly name: string
  readonly code: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What to do about it; empty where nothing is to be done. */
  readonly advice: string
}

export const ok = (name: string, message: string): DoctorCheck => ({ name, code: 'ok', message, advice: '' })
export const warn = (name: string, message: string, advice: string): DoctorCheck => ({
  name,
  code: 'warn',
  message,
  advice,
})
export const fail = (name: string, message: string, advice: string): DoctorCheck => ({
  name,
  code: 'fail',
  message,
  advice,
})

/** Longest time for one step that asks another server. */
const stepMs = 10_000

/** What a step gives; one that takes too long has failed. */
export const within = async <T>(work: Promise<T>, ms = stepMs): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = startTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Why something failed, in one line. */
export const toCheckReason = (error: unknown): string => reasonOf(error).split('\n', 1).join()
