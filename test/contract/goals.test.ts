import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { figures } from '../bench/figures.ts'

/** The rows of the goals: what tests show, and what the benchmark measures. */
const shown =
  'R1 R2 R3 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R17 R18 R19 R20 R21 R22 R23 R24 R25 R26 R27 R28 R29 Q1 S1 S2 S3 S4 S5 S6 S7 C3 C5 U1 U2 U3 U4'.split(
    ' ',
  )
const measured = 'P1 P2 P3 P4 P5 P6 P7 P8 P9 P13 G1 G2 G3 G4 G5 G6 G7 A1 A2'.split(' ')

const sources = globSync('test/{contract,exhaustive,fuzz,integration,interop,model,suites,unit}/**/*.ts').map(path => ({
  path,
  text: readFileSync(path, 'utf8'),
}))
/** The rows of the table in RELIABILITY.md: id and files. */
const rows = new Map(
  [...readFileSync('RELIABILITY.md', 'utf8').matchAll(/^\| ([A-Z]\d+) \|(.*)$/gm)].map(([, id = '', rest = '']) => [
    id,
    [...rest.matchAll(/`(test\/[^`]+\.ts)`/g)].map(([, path = '']) => path),
  ]),
)

/** Whether the title of a test or of a suite begins with the id. */
const hasTitle = (text: string, id: string): boolean => new RegExp(`\\(\\s*['"\`]${id}: `).test(text)

describe('every goal', () => {
  test.each(shown)('%s has a test that is named after it, and a row in RELIABILITY.md that names its file', id => {
    const named = sources.filter(({ text }) => hasTitle(text, id)).map(({ path }) => path)
    const listed = rows.get(id) ?? []
    expect(listed).not.toEqual([])
    expect(named).toEqual(expect.arrayContaining(listed))
  })

  test.each(measured)('%s is a figure of the benchmark, and is in BENCHMARKS.md', id => {
    expect(figures.map(figure => figure.id)).toContain(id)
    expect(readFileSync('BENCHMARKS.md', 'utf8')).toMatch(new RegExp(`^\\| ${id} \\|`, 'm'))
  })

  test('RELIABILITY.md has no row beyond them', () => {
    expect([...rows.keys()].filter(id => !shown.includes(id))).toEqual([])
  })
})
