import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Figure } from '../../bench/figure.ts'
import { runFigure } from '../../bench/run-figure.ts'
import { measureGroup } from '../../bench/sizes/size.ts'
import { runSweep } from '../../bench/sweeps/run-sweep.ts'
import { type OpenTrial, Skipped } from '../../bench/trial.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-unit-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const sampleOf = (rate: number) => ({ rate, p50Ms: 1, p99Ms: 2, maxMs: 3, cpuUs: 0 })

const figureOf = (open: OpenTrial): Figure => ({
  id: 'P1',
  what: 'something',
  open,
  baselineIs: 'nothing',
  unit: 'events/s',
  value: ({ rate }) => rate,
  ratio: (sluice, baseline) => sluice.rate / baseline.rate,
  goal: '≥ 1 ×',
  isMet: ({ ratio }) => ratio >= 1,
})

const defaults = { durationMs: 1, profileDirectory: undefined, settings: [], gigabytes: 1, progress: () => {} }

const run = (open: OpenTrial, rounds = 1, minRounds = 1) =>
  runFigure(Object.assign(figureOf(open), { minRounds }), {
    ...defaults,
    directory,
    rounds,
  })

const close = async (): Promise<void> => {}

test('runFigure: medians over the rounds, and the median of their ratios', async () => {
  const rates = { sluice: [10, 90, 20], baseline: [10, 30, 40] }
  const next = (side: 'sluice' | 'baseline') => async () => sampleOf(rates[side].shift() ?? 0)
  const result = await run(async () => ({ sluice: next('sluice'), baseline: next('baseline'), close }), 3)
  expect(result).toMatchObject({
    outcome: { sluice: { rate: 20 }, baseline: { rate: 30 }, ratio: 1, ratios: [0.5, 1, 3] },
  })
})

test('runFigure: medians of the CPU time of each process, where there are some', async () => {
  const processes = [
    { Sluice: 3, NameNode: 1 },
    { Sluice: 1, NameNode: 9 },
    { Sluice: 2, NameNode: 2 },
  ]
  const sluice = async () => ({ ...sampleOf(1), processesUs: processes.shift() ?? {} })
  const result = await run(async () => ({ sluice, baseline: async () => sampleOf(1), close }), 3)
  expect(result).toMatchObject({ outcome: { sluice: { processesUs: { Sluice: 2, NameNode: 2 } } } })
  expect(result).not.toHaveProperty('outcome.baseline.processesUs')
})

test('runFigure: each side comes first in turn, for as many rounds as the figure wants at least', async () => {
  const asked: string[] = []
  const side = (name: string) => async () => {
    asked.push(name)
    return sampleOf(1)
  }
  const open = async () => ({ sluice: side('sluice'), baseline: side('baseline'), close })
  await run(open, 1, 3)
  expect(asked).toEqual(['baseline', 'sluice', 'sluice', 'baseline', 'baseline', 'sluice'])
})

test('runFigure: other settings take the place of the baseline, in files of their own', async () => {
  const opened: (readonly string[])[] = []
  const open: OpenTrial = async ({ settings, directory: where }) => {
    opened.push([...settings, where])
    return { sluice: async () => sampleOf(settings.length + 1), baseline: async () => sampleOf(99), close }
  }
  const options = { ...defaults, directory, rounds: 1, against: ['a=1'] }
  const result = await runFigure(figureOf(open), options)
  expect(result).toMatchObject({
    figure: { baselineIs: 'with a=1' },
    outcome: { sluice: { rate: 1 }, baseline: { rate: 2 } },
  })
  expect(new Set(opened.map(one => one.at(-1))).size).toBe(2)
})

test('runFigure: what the machine lacks is named, not hidden', async () => {
  const open = () => Promise.reject(new Skipped('no HDFS, no JDK'))
  expect(await run(open)).toMatchObject({ missing: 'skipped: no HDFS, no JDK' })
})

test.each(['sluice', 'baseline'] as const)(
  'runFigure: a %s that fails is named, and everything is closed',
  async side => {
    let closed = 0
    const good = async () => sampleOf(1)
    const bad = () => Promise.reject(new Error('it ended\nwith a stack'))
    const sides = { sluice: good, baseline: good, [side]: bad }
    const result = await run(async () => Object.assign(sides, { close: async () => void closed++ }))
    expect(result).toMatchObject({ missing: 'failed: it ended' })
    expect(result).not.toHaveProperty('outcome')
    expect({ closed, left: readdirSync(directory) }).toEqual({ closed: 1, left: [] })
  },
)

test('runSweep: a point that fails is named, and the others continue', async () => {
  const sweep = {
    name: 'x',
    title: 'x',
    what: 'x',
    x: { label: 'things' },
    xs: [1, 2, 3],
    panels: [{ y: { label: 'y' }, series: ['a'] }],
    open: async () => ({
      measure: async (x: number) => {
        if (x === 2) throw new Skipped('too large')
        return { reading: [[x * 10]] }
      },
      close,
    }),
  }
  const options = { directory, durationMs: 1, profileDirectory: undefined, settings: [] }
  expect(await runSweep(sweep, options, () => {})).toEqual({
    sweep,
    points: [
      { x: 1, reading: [[10]] },
      { x: 2, missing: 'skipped: too large' },
      { x: 3, reading: [[30]] },
    ],
  })
  const broken = { ...sweep, open: () => Promise.reject(new Error('no room')) }
  expect(await runSweep(broken, options, () => {})).toEqual({ sweep: broken, missing: 'failed: no room' })
})

test('measureGroup: a group that fails is a row that says so', async () => {
  const options = { directory, durationMs: 1, profileDirectory: undefined, settings: [] }
  const group = { what: 'install', measure: () => Promise.reject(new Error('npm is missing')) }
  expect(await measureGroup(group, options)).toEqual([
    { what: 'install', value: 'failed: npm is missing', beside: '–' },
  ])
})
