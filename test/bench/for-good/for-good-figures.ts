import type { OutputFormat } from '../../../src/spool/files/bucket-file.ts'
import type { Figure, Measured } from '../figure.ts'
import type { WithEdges } from '../measure.ts'
import type { Result } from '../run-figure.ts'
import { type Price, type Prices, toCapacityTable } from './capacity.ts'
import { openForGood } from './for-good.ts'

type Goal = { readonly name: string; readonly format: OutputFormat; readonly least: number }

const forGood = ({ name, format, least }: Goal): Figure => ({
  id: 'P14',
  section: 'capacity',
  what: `one event a POST, 128 connections, sealed as ${name}, one core`,
  open: openForGood(format),
  baselineIs: '`node:http`',
  unit: 'events/s',
  value: ({ rate }) => rate,
  ratio: (sluice, baseline) => sluice.rate / baseline.rate,
  note: ({ backlogFrom = 0, backlogTo = 0 }) => `backlog ${toThousands(backlogFrom)}, then ${toThousands(backlogTo)}`,
  goal: `≥ ${least / 1_000} K/s`,
  isMet: ({ sluice: { rate } }) => rate >= least,
})

const toThousands = (events: number): string => `${(events / 1_000).toFixed(0)} K`

const goals: readonly Goal[] = [
  { name: 'Smile', format: 'native', least: 50_000 },
  { name: 'JSON lines', format: 'jsonl', least: 55_000 },
  { name: 'Parquet', format: 'parquet', least: 45_000 },
]

/** What one core takes for good, in each format. */
export const forGoodFigures: readonly Figure[] = goals.map(forGood)

/** Where the next limit is on more cores, by what was measured; nothing where nothing was. */
export const toModel = (results: readonly Result[]): string => {
  const rows = results.flatMap(result => {
    const { figure } = result
    const goal = goals[forGoodFigures.indexOf(figure)]
    return goal && 'outcome' in result ? [{ what: goal.name, ...toPrices(result.outcome.sluice) }] : []
  })
  if (rows.length === 0) return ''
  return `\n### On more cores\n\n${intro}\n\n${toCapacityTable(rows)}\n`
}

const intro =
  'K/s by the CPU time of an event that each part takes (µs: main thread, edge threads, sealing, the rest), and what limits it:'

const toPrices = ({ withEdges, ...alone }: Measured): Pick<Prices, 'alone' | 'withEdges'> => ({
  alone: toPrice(alone),
  ...(withEdges ? { withEdges: toPrice(withEdges) } : {}),
})

const toPrice = ({ cpuUs, mainUs = 0, edgesUs = 0, sealingUs = 0 }: Partial<WithEdges> & { cpuUs: number }): Price => ({
  mainUs,
  edgesUs,
  sealingUs,
  othersUs: cpuUs - mainUs - edgesUs - sealingUs,
})
