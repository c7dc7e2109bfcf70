import { describe, expect, test } from 'vitest'
import { parseTimeSpan } from '../../../../admin/cli/command/time-span.ts'
import { toHistoryView } from '../../../../admin/cli/server/history-view.ts'

const minute = 60_000

describe('toHistoryView', () => {
  test('tells the newest, the mean and the highest, and draws gaps as gaps', () => {
    const view = toHistoryView(
      {
        stepMs: minute,
        at: [0, 1, 2, 5].map(n => n * minute),
        columns: {
          accepted: [7, 14, 0, 7],
          refused: [0, 0, 0, 0],
          loopDelay: [2, null, null, null],
          'p95:POST_Json_API': [null, 1, 2.5, null],
          'events:POST_Json_API': [1, 1, 1, 1],
        },
      },
      80,
    )
    expect(view.split('\n').map(line => line.trimEnd())).toEqual([
      '1970-01-01 00:00:00Z to 1970-01-01 00:05:00Z, every 60 s',
      '',
      'FIGURE             NEWEST     MEAN  HIGHEST',
      'accepted           7.00/s   7.00/s   14.0/s              ▅█▁  ▅',
      'refused               0/s      0/s      0/s',
      'event loop delay        –  2.00 ms  2.00 ms              █',
      'POST_Json_API p95       –  1.75 ms  2.50 ms               ▄█',
    ])
  })

  test('says that nothing is known', () => {
    expect(toHistoryView({ stepMs: minute, at: [], columns: {} }, 80)).toBe('Nothing is known of that time.')
  })
})

test.each([
  ['90s', 90_000],
  ['10m', 600_000],
  ['10 min', 600_000],
  ['6h', 21_600_000],
  ['1d', 86_400_000],
])('parseTimeSpan reads %s', (text, ms) => expect(parseTimeSpan(text)).toBe(ms))

test.each(['', '6', 'h', '0h', '-1h', '1.5h', '6 parsecs', '9999999h'])('parseTimeSpan refuses %j', text => {
  expect(() => parseTimeSpan(text)).toThrow('is not a duration')
})
