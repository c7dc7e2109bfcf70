import type { Disk } from './disk/disk.ts'
import type { SpoolLogger, SpoolSettings } from './spool-options.ts'

/** Default low-space mark: a twentieth of the disk, but no more than this. */
const maxDefaultFreeBytes = 5e9

/** Keeps an eye on the free space of the spool's disk. */
export type SpaceWatch = {
  check(): Promise<void>
  /** Why new events are refused, for people; empty while there is room. */
  readonly refusal: string
  /** What was free when it last looked, and the mark below which events are refused. */
  readonly freeBytes: number
  readonly minFreeBytes: number
}

/**
 * @param settings as they are now
 * @param onLow makes room; asked at each check below the mark, because more may be dispensable by then
 */
export const createSpaceWatch = (
  disk: Disk,
  settings: Pick<SpoolSettings, 'minFreeBytes'>,
  log: SpoolLogger,
  onLow: () => Promise<void>,
): SpaceWatch => {
  let refusal = ''
  let freeBytes = 0
  let mark = settings.minFreeBytes ?? 0
  return {
    check: async () => {
      const space = await disk.space()
      freeBytes = space.freeBytes
      mark = settings.minFreeBytes ?? Math.min(space.totalBytes / 20, maxDefaultFreeBytes)
      const wasLow = refusal !== ''
      const isLow = freeBytes < mark
      refusal = isLow
        ? `${disk.directory} has ${Math.round(freeBytes / 1e6)} MB free; ${Math.round(mark / 1e6)} MB are kept`
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
  }
}
