/** Which of many steps a run stops at. */
import { randomInt } from 'node:crypto'

/** Whether a run takes every case there is, as a release run does. */
export const isEveryCase = process.env['SLUICE_TEST_ALL_KILLS'] !== undefined

/** The steps of a run: one of each `every`, from another one on each time; all of them in a release run. */
export const toStride = (every: number): { readonly first: number; readonly every: number } =>
  isEveryCase ? { first: 0, every: 1 } : { first: randomInt(every), every }
