import type { Figure, FigureFacts, Measured, Outcome } from './figure.ts'
import { type OpenPlace, openHdfs, openLocal, type Place } from './places.ts'
import { smallFileFigures, transferFigures } from './transfer-figures.ts'
import type { OpenTrial } from './trial.ts'
import { openDecode } from './trials/decode.ts'
import {
  openDirectoryListing,
  openDirectoryPage,
  openListStatus,
  openListStatusBatch,
  openPrefixListing,
  openPrefixPage,
} from './trials/directory.ts'
import { openFirstSequenceRows, openFirstTextRows } from './trials/first-rows.ts'
import { openDownloadMemory, openRowsMemory, openUploadMemory } from './trials/memory.ts'
import { openSequenceRows, openTextRows } from './trials/rows.ts'
import { clients, openStalledBytes, openStalledRows } from './trials/stalled.ts'

const share = {
  value: ({ rate }: Measured) => rate,
  ratio: (sluice: Measured, baseline: Measured) => sluice.rate / baseline.rate,
}

const mbPerSecond = { unit: 'MB/s', ...share } as const

/** Most memory that streaming may take, in MB. */
const maxGrowthMb = 64

const memory = {
  unit: 'MB',
  value: ({ megabytes = 0 }: Measured) => megabytes,
  note: ({ rate }: Measured) => `${Math.round(rate)} MB/s`,
  ratio: ({ megabytes = 0 }: Measured, baseline: Measured) => megabytes / Math.max(1, baseline.megabytes ?? 0),
  goal: `≤ ${maxGrowthMb} MB`,
  isMet: ({ sluice }) => (sluice.megabytes ?? 0) <= maxGrowthMb,
} as const satisfies Partial<FigureFacts>

const firstRows = {
  unit: 'ms p50',
  value: ({ p50Ms }: Measured) => p50Ms,
  note: ({ megabytes = 0 }: Measured) => `${megabytes.toFixed(2)} MB read`,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p50Ms / baseline.p50Ms,
  goal: '≤ 2 ×',
  isMet: ({ ratio }) => ratio <= 2,
} as const satisfies Partial<FigureFacts>

const maxStalledMb = 300
/** A third wave of clients that takes so much more than the first one finds memory that the second one lost. */
const maxDriftMb = 30

const stalled = {
  baselineIs: 'undisturbed',
  unit: 'ms p99',
  value: ({ p99Ms }: Measured) => p99Ms,
  note: ({ megabytes = 0, driftMb = 0 }: Measured) =>
    megabytes === 0 ? 'nobody' : `+${Math.round(megabytes)} MB, ${Math.round(driftMb)} MB more in the third round`,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p99Ms / baseline.p99Ms,
  goal: `≤ 1.5 ×, ≤ ${maxStalledMb} MB, level`,
  isMet: ({ ratio, sluice: { megabytes = 0, driftMb = 0 } }: Outcome) =>
    ratio <= 1.5 && megabytes <= maxStalledMb && driftMb <= maxDriftMb,
} as const satisfies Partial<FigureFacts>

/** Of 250 000 entries, by the gateway's own routes. */
const firstPage = {
  id: 'G6',
  baselineIs: '`lstat`',
  unit: 'ms p50',
  value: ({ p50Ms }: Measured) => p50Ms,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p50Ms / baseline.p50Ms,
  goal: '≤ 300 ms',
  isMet: ({ sluice }: Outcome) => sluice.p50Ms <= 300,
} as const satisfies Partial<FigureFacts>

const wholeListing = {
  id: 'G6',
  baselineIs: '`lstat` + stringify',
  ...memory,
  note: ({ p50Ms }: Measured) => `${(p50Ms / 1_000).toFixed(1)} s`,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p50Ms / baseline.p50Ms,
  goal: `≤ ${maxGrowthMb} MB, ≤ 1.2 × the time`,
  isMet: ({ ratio, sluice }: Outcome) => ratio <= 1.2 && (sluice.megabytes ?? 0) <= maxGrowthMb,
} as const satisfies Partial<FigureFacts>

/** Of 250 000 entries, by the WebHDFS API: time and growth of memory, beside what makes it in memory. */
const listStatus = {
  id: 'G6',
  baselineIs: '`lstat` + stringify',
  ...memory,
  note: ({ p50Ms, firstByteMs = 0 }: Measured) =>
    `${(p50Ms / 1_000).toFixed(1)} s, the first byte after ${Math.round(firstByteMs)} ms`,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p50Ms / baseline.p50Ms,
} as const satisfies Partial<FigureFacts>

/** The gateway, in the order of the table. */
export const gatewayFigures: readonly Figure[] = [
  ...transferFigures,
  ...growths('embedded files', openLocal),
  ...growths('HDFS', openHdfs),
  {
    id: 'G3',
    what: 'first 51 rows of 10 GB of text',
    open: openFirstTextRows,
    baselineIs: 'the first 64 KiB',
    ...firstRows,
  },
  {
    id: 'G3',
    what: 'first 51 rows of a sequence file of 10 GB',
    open: openFirstSequenceRows,
    baselineIs: 'those of text',
    ...firstRows,
  },
  {
    id: 'G4',
    what: 'text to JSON rows',
    open: openTextRows,
    baselineIs: 'split + stringify',
    ...mbPerSecond,
    goal: '≥ 1.3 ×',
    isMet: ({ ratio }) => ratio >= 1.3,
  },
  {
    id: 'G5',
    what: 'sequence file (deflate) to JSON rows',
    open: openSequenceRows,
    baselineIs: '`zlib` alone',
    ...mbPerSecond,
    goal: '≥ 0.6 ×',
    isMet: ({ ratio }) => ratio >= 0.6,
  },
  { ...firstPage, what: 'first page of a directory of 250 000', open: openDirectoryPage },
  { ...firstPage, what: 'first page of a prefix of 250 000 keys', open: openPrefixPage, isDetail: true },
  { ...wholeListing, what: 'memory and time, JSON listing of 250 000', open: openDirectoryListing },
  {
    ...wholeListing,
    what: 'memory and time, JSON listing of a prefix of 250 000 keys',
    open: openPrefixListing,
    isDetail: true,
  },
  {
    ...listStatus,
    what: 'memory and time, `LISTSTATUS` of 250 000',
    open: openListStatus,
    goal: `≤ ${maxGrowthMb} MB, ≤ 1.2 × the time`,
    isMet: ({ ratio, sluice }) => ratio <= 1.2 && (sluice.megabytes ?? 0) <= maxGrowthMb,
  },
  {
    ...listStatus,
    what: 'memory and time, `LISTSTATUS_BATCH` of 250 000, page after page',
    open: openListStatusBatch,
    goal: `≤ ${maxGrowthMb} MB, ≤ 2 × the time`,
    isMet: ({ ratio, sluice }) => ratio <= 2 && (sluice.megabytes ?? 0) <= maxGrowthMb,
  },
  {
    id: 'G7',
    what: 'decoding Smile files of 2 000 events',
    open: openDecode,
    baselineIs: '`JSON.parse`',
    unit: 'events/s',
    ...share,
    goal: '≥ 1.3 ×',
    isMet: ({ ratio }) => ratio >= 1.3,
  },
  {
    id: 'G8',
    what: `events at 4000/s, ${clients} clients ask for rows and read nothing`,
    open: openStalledRows,
    ...stalled,
  },
  {
    id: 'G8',
    what: `events at 4000/s, ${clients} clients ask for a file and read nothing`,
    open: openStalledBytes,
    ...stalled,
  },
  ...smallFileFigures,
]

function growths(where: string, open: OpenPlace<Place>): readonly Figure[] {
  const of = (what: string, openTrial: OpenTrial, baselineIs: string, isDetail = false): Figure => ({
    id: 'G2',
    isDetail,
    what: `memory, ${what} ${where}`,
    open: openTrial,
    baselineIs,
    ...memory,
  })
  return [
    of('download from', openDownloadMemory(open), 'a file piped', true),
    of('upload to', openUploadMemory(open), 'into a file', true),
    of('text as rows from', openRowsMemory(open), 'split + stringify', where !== 'HDFS'),
  ]
}
