import { describe, expect, test } from 'vitest'
import { type HealthItem, toItems, toProblems } from '../../../admin/cli/lib/problems.ts'

const item = (type: string, code: HealthItem['code'], message = 'why'): HealthItem => ({ type, code, message })
const well = { Accepting: true, FlushEnabled: true, LastFlushError: '' }

describe('toProblems', () => {
  test('none where everything is OK', () => {
    expect(toProblems([item('WriterHealthCheck', 'OK')], well)).toEqual([])
  })

  test.each([
    [{ ...well, FlushEnabled: false }, 'WARN', /^Flushing is off/, 'sluice flush enable'],
    [{ ...well, Accepting: false, Refusal: 'disk full' }, 'ERROR', /refused: disk full/, 'sluice doctor'],
    [{ ...well, LostEvents: 3 }, 'ERROR', /^3 events of the spool are lost/, 'sluice spool verify'],
    [{ ...well, LastFlushError: 'no route' }, 'WARN', /do not reach .*no route/, 'sluice doctor'],
    [
      { ...well, QuarantinedFiles: 1, QuarantinedEvents: 2 },
      'WARN',
      /^1 file with 2 events/,
      'sluice spool quarantine list',
    ],
    [
      { ...well, TakenFiles: 2, TakenEvents: 9 },
      'WARN',
      /^2 files with 9 events were moved/,
      'sluice spool quarantine list',
    ],
  ])('%j is told once, with what to call', (spool, code, problem, command) => {
    const items = [item('WriterHealthCheck', code as 'WARN'), item('RealtimeHealthCheck', 'OK')]
    expect(toProblems(items, spool)).toEqual([
      { code, problem: expect.stringMatching(problem), advice: expect.any(String), command },
    ])
  })

  test('what the figures do not explain is told by its health item, one that is not known too', () => {
    const items = [
      item('WriterHealthCheck', 'WARN', 'a'),
      item('HadoopHealthCheck', 'WARN', 'b'),
      item('RealtimeHealthCheck', 'WARN', 'c'),
      item('TokenFileHealthCheck', 'WARN', 'd'),
      item('NewHealthCheck', 'ERROR', 'e'),
    ]
    const told = toProblems(items, well)
    expect(told.map(({ code }) => code)).toEqual(['ERROR', 'WARN', 'WARN', 'WARN', 'WARN'])
    expect(told.map(({ problem }) => problem.at(-1))).toEqual(['e', 'a', 'b', 'c', 'd'])
    expect(told.every(({ advice, command }) => advice !== '' && command.startsWith('sluice '))).toBe(true)
  })

  test('the reason why files wait is told once, though the file system tells it too', () => {
    const spool = { ...well, LastFlushError: 'no route' }
    expect(toProblems([item('HadoopHealthCheck', 'WARN', 'last flush: no route')], spool)).toHaveLength(1)
  })
})

test('toItems takes what is an item and nothing else', () => {
  const writer = item('WriterHealthCheck', 'OK')
  expect(toItems({ writer, other: { type: 'X' }, worse: item('Y', 'BAD' as 'WARN') })).toEqual([writer])
  expect(toItems(null)).toEqual([])
})
