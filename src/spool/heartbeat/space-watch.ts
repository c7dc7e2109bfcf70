import type { Current } from '../../current.ts'
import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import type { SpoolSettings } from '../spool-settings.ts'

/** Default low-space mark: a twentieth of the disk, but no more than this. */
const maxDefaultFreeBytes = 5e9

/** The default mark of a disk of this many bytes. */
export const defaultMinFreeBytes = (totalBytes: number): number => Math.min(totalBytes / 20, maxDefaultFreeBytes)

/** The mark of a disk of this many bytes. */
export const toMinFreeBytes = ({ minFreeBytes }: Pick<SpoolSettings, 'minFreeBytes'>, totalBytes: number): number =>
  minFreeBytes ?? defaultMinFreeBytes(totalBytes)

/** Keeps an eye on the free space of the spool's disk. */
export type SpaceWatch = {
  check(): Promise<void>
  /** Why new events are refused, for people; empty while there is space. */
  readonly refusal: string
  /** What was free when it last looked, and the mark below which events are refused. */
  readonly freeBytes: number
  readonly minFreeBytes: number
  /**
   * When the mark is reached if the disk keeps filling as in the last minutes, in s; undefined while it does not fill.
   */
  readonly fullInSeconds: number | undefined
}

/**
 * @param onLow makes room; asked at each check below the mark, because more may be dispensable by then
 */
export const createSpaceWatch = (
  disk: Disk,
  settings: Current<Pick<SpoolSettings, 'minFreeBytes'>>,
  log: Logger,
  onLow: () => Promise<void>,
  now: () => number = Date.now,
): SpaceWatch => {
  const trend = createTrend()
  let refusal = ''
  let freeBytes = 0
  let mark = settings().minFreeBytes ?? 0
  return {
    check: async () => {
      const space = await disk.space()
      freeBytes = space.freeBytes
      trend.add(now(), freeBytes)
      mark = toMinFreeBytes(settings(), space.totalBytes)
      const wasLow = refusal !== ''
      const isLow = freeBytes < mark
      refusal = isLow
        ? `only ${toMegabytes(freeBytes)} MB are free in ${disk.directory}; collector.diskspool.min-free-bytes requires ${toMegabytes(mark)} MB`
        : ''
      if (isLow && !wasLow) log.warn({ freeBytes, mark }, 'disk space is low: new events are refused')
      else if (!isLow && wasLow) log.info({ freeBytes, mark }, 'disk space is back')
      if (isLow) await onLow()
    },
    get refusal() {
      return refusal
    },
    get freeBytes() {
      return freeBytes
    },
    get minFreeBytes() {
      return mark
    },
    get fullInSeconds() {
      const perSecond = trend.perSecond()
      return perSecond < 0 ? Math.max(0, freeBytes - mark) / -perSecond : undefined
    },
  }
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1e6)

/** A figure is measured over this many minutes; nothing is reported before the first of them is over. */
const minutes = 10
const minuteMs = 60_000

/** How a figure has changed in the last minutes. */
const createTrend = () => {
  /** One of each minute, oldest first, and the newest. */
  const samples: { at: number; value: number }[] = []
  let newest: { at: number; value: number } | undefined
  return {
    add: (at: number, value: number): void => {
      newest = { at, value }
      const last = samples.at(-1)
      // The clock may be set back: earlier samples mean nothing then.
      if (last && at < last.at) samples.length = 0
      if (last && at >= last.at && at - last.at < minuteMs) return
      samples.push(newest)
      if (samples.length > minutes) samples.shift()
    },
    perSecond: (): number => {
      const [first] = samples
      if (!first || !newest || newest.at - first.at < minuteMs) return 0
      return ((newest.value - first.value) * 1_000) / (newest.at - first.at)
    },
  }
}
