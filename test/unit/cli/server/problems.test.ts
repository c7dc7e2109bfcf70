import { describe, expect, test } from 'vitest'
import { toProblemLines } from '../../../../admin/cli/server/problem-lines.ts'
import { type ShownItem, toItems, toShownProblems } from '../../../../admin/cli/server/problems.ts'

const item = (type: string, code: ShownItem['code'], message = 'why'): ShownItem => ({ type, code, message })
const told = {
  item: 'HadoopHealthCheck',
  part: 'filesystem',
  code: 'WARN',
  word: 'Unavailable',
  problem: 'Files do not reach the file system: no route',
  since: Date.UTC(2031, 0, 2),
  meaning: 'Events are accepted and kept on this disk, 3 h until it is full.',
  advice: 'Find the step that fails.',
  command: 'sluice doctor',
  runbook: 'docs/runbook.md#sluicefilesystemunavailable',
}

describe('toProblems', () => {
  test('gives what the server says, in its order', () => {
    const { item: _item, word: _word, since: _since, ...rest } = told
    expect(
      toShownProblems({ Problems: [told, { ...told, since: undefined, code: 'ERROR' }, 'not a problem'] }),
    ).toEqual([
      { ...rest, since: '2031-01-02T00:00:00.000Z' },
      { ...rest, since: null, code: 'ERROR' },
    ])
  })

  test('of a server that does not say it gives the items that are not OK', () => {
    const Items = { a: item('WriterHealthCheck', 'OK'), b: item('NewHealthCheck', 'ERROR', 'e') }
    expect(toShownProblems({ Items })).toMatchObject([{ code: 'ERROR', problem: 'New: e', command: 'sluice health' }])
    expect(toShownProblems({})).toEqual([])
  })
})

test('a problem is shown cause first, since when, what it means, what to do, and where to read on', () => {
  const [problem] = toShownProblems({ Problems: [told] })
  if (!problem) throw new Error('There is no problem')
  const lines = toProblemLines(problem, 200, told.since + 720_000)
  expect(lines).toEqual([
    expect.stringContaining('Files do not reach the file system: no route (for 12 min'),
    `    ${told.meaning}`,
    `    ${told.advice}`,
    `    ${told.command}`,
    `    ${told.runbook}`,
  ])
})

test('toItems takes what is an item and nothing else', () => {
  const writer = item('WriterHealthCheck', 'OK')
  expect(toItems({ writer, other: { type: 'X' }, worse: item('Y', 'BAD' as 'WARN') })).toEqual([writer])
  expect(toItems(null)).toEqual([])
})
