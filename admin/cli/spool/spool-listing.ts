import type { Disk } from '../../../src/disk/disk.ts'

/** One thing in a spool. */
export type SpoolEntry = {
  readonly state: 'segment' | 'sealed' | 'moving' | 'placed' | 'committed' | 'quarantined' | 'taken'
  /** Below the spool's directory. */
  readonly file: string
  readonly bytes: number
  /** Null if only reading it would show. */
  readonly events: number | null
  /** When its oldest event was kept, or it was committed; ms since the epoch. */
  readonly since: number | null
  /** Its place in the file system. */
  readonly target: string | null
  readonly reason: string | null
}

/** Everything in a spool, oldest first, and who runs on it. */
export const listSpool = async (disk: Disk, holder: string | undefined) => {
  const [{ viewSpool }, { localPath }, { targetPath }] = await Promise.all([
    import('../../../src/spool/tool/view.ts'),
    import('../../../src/spool/files/spool-paths.ts'),
    import('../../../src/spool/files/target-path.ts'),
  ])
  const view = await viewSpool(disk)
  const none = { since: null, target: null, reason: null }
  const known = new Set(view.files.map(({ file }) => file.name))
  return {
    directory: view.directory,
    collectorId: view.collectorId ?? null,
    holder: holder ?? null,
    flushEnabled: view.flushEnabled,
    flushedEvents: view.flushedEvents,
    entries: [
      ...view.files.map(
        ({ file, state }): SpoolEntry => ({
          state: state.at,
          file: localPath(file.name, state.at),
          bytes: file.length,
          events: file.events,
          since: state.at === 'committed' ? state.since : file.oldest,
          target: targetPath(file),
          reason: 'reason' in state ? state.reason : null,
        }),
      ),
      ...view.quarantine
        .filter(({ name }) => !known.has(name))
        .map(({ path: file, bytes, events, reason }): SpoolEntry => {
          return { ...none, state: 'quarantined', file, bytes, events: events || null, reason }
        }),
      ...view.segments.map(
        ({ path: file, bytes }): SpoolEntry => ({ ...none, state: 'segment', file, bytes, events: null }),
      ),
    ],
  }
}
