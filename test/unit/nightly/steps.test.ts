import { expect, test } from 'vitest'
import { steps } from '../../nightly/steps.ts'
import { createSchedule } from '../../oracle/schedule.ts'

const stepOf = (name: string) => {
  const step = steps.find(one => one.name === name)
  if (!step) throw new Error(`There is no step ${name}`)
  return step
}

test('a night has at least 50 seeds of the oracle, half of them with 3 edge threads', () => {
  const { command } = stepOf('oracle')
  const seeds = Number(command[command.indexOf('--seeds') + 1])
  expect(seeds).toBeGreaterThanOrEqual(50)
  const threads = Array.from({ length: seeds }, (_, seed) => createSchedule(seed).threads)
  expect(threads.filter(count => count === 3).length).toBeGreaterThanOrEqual(seeds / 2)
})

test('a night ends edge threads 200 times', () => {
  expect(stepOf('kills-edge').env).toEqual({ SLUICE_TEST_EDGE_KILLS: '200' })
})
