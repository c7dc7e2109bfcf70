import { tickMs } from './meter.ts'

/** How often a sample is taken, and looks at peaks until then; an hour of samples is kept. */
const ticksPerSample = 2
const fineMs = ticksPerSample * tickMs
const fineSamples = 360
/** Samples that are summed up to one; a day of those is kept. */
const finePerCoarse = 6
const coarseMs = fineMs * finePerCoarse
const coarseSamples = 1_440

/**
 * One figure over time. `rate` and `perMinute`: a count that only grows, kept as its growth per second or minute;
 * `level`: a value as it is; `peak`: one of which the largest counts where several are summed up.
 */
export type HistoryColumn = {
  readonly key: string
  readonly kind: 'rate' | 'perMinute' | 'level' | 'peak'
  /** Called once per sample, a peak with each tick; undefined without a value. */
  readonly read: () => number | undefined
}

/** Samples in columns, oldest first; null where nothing is known. */
export type HistorySamples = {
  /** Time between two samples; a longer one is a gap. */
  readonly stepMs: number
  /** ms since the epoch, rising. */
  readonly at: readonly number[]
  /** By key; a column of which nothing is known is left out. */
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>
}

/** What the server remembers of its own figures: a bounded ring in memory, which begins with the process. */
export type History = {
  /** To be called every `tickMs`. */
  tick(): void
  /**
   * The samples of a span of time, both ends included; ms since the epoch. By the ten seconds where those are all there
   * is of it, by the minute otherwise.
   */
  samples(since: number, until: number): HistorySamples
  /** Samples that are kept, of either kind, and the time of the oldest; 0 without any. */
  readonly size: number
  readonly oldest: number
}

/** The dependencies of a history. */
export type HistoryOptions = {
  readonly columns: readonly HistoryColumn[]
  /** ms since the epoch. */
  readonly now: () => number
}

/** Remembers nothing yet; some 400 kB for 50 columns, from the start on. */
export const createHistory = ({ columns, now }: HistoryOptions): History => {
  const fine = createRing(fineSamples, columns.length)
  const coarse = createRing(coarseSamples, columns.length)
  const sum = createSum(columns)
  let counts = columns.map(({ read }) => read())
  let peaks = columns.map((): number | undefined => undefined)
  let takenAt = now()
  let ticks = 0
  return {
    tick: () => {
      peaks = columns.map(({ kind, read }, i) => (kind === 'peak' ? largest(peaks[i], read()) : undefined))
      if (++ticks % ticksPerSample !== 0) return
      const at = now()
      const elapsed = at - takenAt
      takenAt = at
      // A clock that was set back would break the order of time.
      if (at <= fine.newest) {
        fine.clear()
        coarse.clear()
        sum.clear()
      }
      const current = columns.map(({ kind, read }, i) => (kind === 'peak' ? peaks[i] : read()))
      const values = columns.map(({ kind }, i) => toValue(kind, current[i], counts[i], elapsed))
      counts = current
      peaks = []
      fine.add(at, values)
      sum.add(values)
      if (sum.size === finePerCoarse) coarse.add(at, sum.take())
    },
    samples: (since, until) => {
      const isFine = since >= fine.oldest - coarseMs || fine.oldest <= coarse.oldest || coarse.size === 0
      const ring = isFine ? fine : coarse
      return { stepMs: isFine ? fineMs : coarseMs, ...ring.read(since, until, columns) }
    },
    get size() {
      return fine.size + coarse.size
    },
    get oldest() {
      return coarse.size > 0 ? Math.min(coarse.oldest, fine.oldest) : fine.oldest
    },
  }
}

const largest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

const toValue = (kind: HistoryColumn['kind'], value: number | undefined, before: number | undefined, ms: number) => {
  if (value === undefined) return Number.NaN
  if (kind === 'level' || kind === 'peak') return value
  if (before === undefined || value < before || ms <= 0) return Number.NaN
  return ((value - before) * (kind === 'rate' ? 1_000 : 60_000)) / ms
}

/** Sums samples up: means of what is known of them, and the largest of peaks. */
const createSum = (columns: readonly HistoryColumn[]) => {
  let samples: (readonly number[])[] = []
  return {
    get size() {
      return samples.length
    },
    add: (values: readonly number[]): void => void samples.push(values),
    clear: (): void => {
      samples = []
    },
    take: (): readonly number[] => {
      const values = columns.map(({ kind }, i) => {
        const known = samples.map(sample => sample[i] ?? Number.NaN).filter(value => !Number.isNaN(value))
        if (known.length === 0) return Number.NaN
        return kind === 'peak' ? Math.max(...known) : known.reduce((total, one) => total + one, 0) / known.length
      })
      samples = []
      return values
    },
  }
}

/** The newest samples; what is not known is NaN. */
const createRing = (maxSamples: number, width: number) => {
  const times = new Float64Array(maxSamples)
  const values = new Float32Array(maxSamples * width)
  let next = 0
  let size = 0
  const slotOf = (i: number): number => (next - size + i + maxSamples) % maxSamples
  const timeOf = (i: number): number => times[slotOf(i)] ?? 0
  return {
    get size() {
      return size
    },
    /** 0 without any. */
    get oldest() {
      return size === 0 ? 0 : timeOf(0)
    },
    get newest() {
      return size === 0 ? 0 : timeOf(size - 1)
    },
    clear: (): void => {
      size = 0
    },
    add: (at: number, sample: readonly number[]): void => {
      times[next] = at
      values.set(sample, next * width)
      next = (next + 1) % maxSamples
      size = Math.min(size + 1, maxSamples)
    },
    read: (since: number, until: number, columns: readonly HistoryColumn[]): Omit<HistorySamples, 'stepMs'> => {
      const wanted = Array.from({ length: size }, (_, i) => i).filter(i => timeOf(i) >= since && timeOf(i) <= until)
      const slots = wanted.map(slotOf)
      const read = columns.map(({ key }, column) => {
        const known = slots.map(slot => values[slot * width + column] ?? Number.NaN)
        return [key, known] as const
      })
      return {
        at: wanted.map(timeOf),
        columns: Object.fromEntries(
          read
            .filter(([, known]) => known.some(value => !Number.isNaN(value)))
            .map(([key, known]) => [key, known.map(toShort)]),
        ),
      }
    },
  }
}

/** As many digits as a chart can show, so that the answer stays short. */
const toShort = (value: number): number | null => {
  if (Number.isNaN(value)) return null
  return Math.abs(value) >= 1_000 ? Math.round(value) : Math.round(value * 1_000) / 1_000
}
