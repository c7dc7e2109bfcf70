import type { OutputFormat } from '../../src/spool/files/bucket-file.ts'
import { eventBytes, eventsPerBatch } from './events.ts'
import type { Figure, FigureFacts, Measured } from './figure.ts'
import { openSeal, openSealQueue } from './trials/seal.ts'

const shared: Pick<FigureFacts, 'unit' | 'value' | 'ratio' | 'note'> = {
  unit: 'rows/s',
  value: ({ rate }: Measured) => rate,
  ratio: (sluice, baseline) => sluice.rate / baseline.rate,
  note: ({ cpuUs, megabytes = 0 }) => `${cpuUs.toFixed(1)} µs a row, +${megabytes.toFixed(0)} MB`,
}

const parquetOf = (types: number, mostUs: number): Figure => ({
  id: 'P11',
  what: `a segment of 128 MB, ${eventBytes}-byte JSON events one by one, of ${types} types, becomes Parquet files`,
  open: openSeal(types),
  baselineIs: '`JSON.parse` and `hyparquet-writer`, one file',
  ...shared,
  goal: `≤ ${mostUs} µs of CPU a row, ≤ 200 MB`,
  isMet: ({ sluice: { cpuUs, megabytes = 0 } }) => cpuUs <= mostUs && megabytes <= 200,
})

type QueueGoal = {
  readonly name: string
  readonly format: OutputFormat
  readonly least: number
  readonly mostUs: number
}

const queueOf = ({ name, format, least, mostUs }: QueueGoal): Figure => ({
  id: 'P14b',
  what: `a recorded log of ${eventBytes}-byte JSON events in batches of ${eventsPerBatch}, of 21 types, is sealed as ${name} and committed, two cores, no load beside`,
  open: openSealQueue(format),
  baselineIs: '`JSON.parse` alone, one core',
  ...shared,
  goal: `≥ ${least / 1_000} K rows/s, ≤ ${mostUs} µs of CPU a row`,
  isMet: ({ sluice: { rate, cpuUs } }) => rate >= least && cpuUs <= mostUs,
})

/** Events after they are in the log. */
export const sealingFigures: readonly Figure[] = [
  parquetOf(21, 4),
  parquetOf(300, 6),
  parquetOf(5_000, 12),
  queueOf({ name: 'Smile', format: 'native', least: 330_000, mostUs: 6 }),
  queueOf({ name: 'JSON lines', format: 'jsonl', least: 600_000, mostUs: 2 }),
  queueOf({ name: 'Parquet', format: 'parquet', least: 350_000, mostUs: 5.5 }),
]
