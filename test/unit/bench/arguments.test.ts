import { expect, test } from 'vitest'
import { parseArguments, toCommand } from '../../bench/arguments.ts'
import { figures } from '../../bench/figures.ts'
import { sweeps } from '../../bench/sweeps/sweeps.ts'

const counts = (...args: string[]) => {
  const { figures: some, sweeps: swept, sizes } = parseArguments(args)
  return [new Set(some.map(({ id }) => id)).size, swept.length, sizes]
}
const ids = new Set(figures.map(({ id }) => id)).size

test.each([
  [[], ids, 0, false],
  [['p1', 'P3'], 2, 0, false],
  [['p14B', 'p14'], 2, 0, false],
  [['--sweep'], 0, sweeps.length, false],
  [['--sweep', 'connections', 'file-size'], 0, 2, false],
  [['--sizes'], 0, 0, true],
  [['--sweep', '--sizes'], 0, sweeps.length, true],
  [['--all'], ids, sweeps.length, true],
])('parseArguments: %j', (args, figureIds, swept, sizes) => {
  expect(counts(...args)).toEqual([figureIds, swept, sizes])
})

test('parseArguments: one of several figures with an id, by words of it', () => {
  const found = parseArguments(['a2:listed', 'G4']).figures
  expect(found.map(({ id, what }) => [id, what.includes('listed')])).toEqual([
    ['G4', false],
    ['A2', true],
  ])
})

test.each([
  [['P99'], /no figure P99; expected P14, P1, P2/],
  [['--sweep', 'P1'], /no sweep P1; expected connections/],
  [['--all', 'P1'], /--all measures everything/],
  [['--sizes', 'P1'], /--sizes takes no names/],
  [['A2:nothing'], /no figure A2:nothing; expected words of "events/],
  [['--write', '--set', 'gateway.readers=0'], /--write needs the default settings/],
  [['P1', '--write'], /--write needs all figures of a section/],
  [['O1', '--write'], /--write needs all figures of a section/],
  [['O1', 'O2', 'P1', '--write'], /--write needs all figures of a section/],
  [['--rounds', '0'], /--rounds is "0"/],
])('parseArguments: %j is refused', (args, want) => {
  expect(() => parseArguments(args)).toThrow(want)
})

test('parseArguments: a whole section of the page may be written by itself', () => {
  expect(parseArguments(['O1', 'O2', 'O3', '--write'])).toMatchObject({ write: true })
  expect(parseArguments(['P13', '--write'])).toMatchObject({ write: true })
  expect(parseArguments(['--write'])).toMatchObject({ write: true })
})

test.each([
  [['--all', '--write'], 'npm run bench -- --all --seconds 5 --rounds 3 --gigabytes 1 --point-seconds 2 --write'],
  [['--sweep', 'file-size', '--dir', '/home/me'], 'npm run bench -- --sweep file-size --point-seconds 2'],
  [
    ['G4', '--set', 'gateway.readers=2', '--against', 'gateway.readers=0'],
    'npm run bench -- G4 --seconds 5 --rounds 3 --gigabytes 1 --set gateway.readers=2 --against gateway.readers=0',
  ],
  [['P1', '--seconds', '2'], 'npm run bench -- P1 --seconds 2 --rounds 3 --gigabytes 1'],
])('toCommand: %j', (args, want) => {
  expect(toCommand(parseArguments(args))).toBe(want)
})
