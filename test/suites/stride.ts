/** Which of many cases a run takes. */
import { randomInt } from 'node:crypto'

/** Whether a run takes every case there is, as a release run does. */
export const isEveryCase = process.env['SLUICE_TEST_ALL_CASES'] !== undefined

/** The steps of a run: one of each `every`, from another one on each time; all of them in a release run. */
export const toStride = (every: number): { readonly first: number; readonly every: number } =>
  isEveryCase ? { first: 0, every: 1 } : { first: randomInt(every), every }

/** Of cases that each take long: one of each `every`, others each time; all of them in a release run. */
export const someOf = <T>(cases: readonly T[], every: number): readonly T[] => {
  const stride = toStride(Math.min(every, cases.length))
  return cases.filter((_, index) => index % stride.every === stride.first)
}
