import { type Attribute, action, attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { BeanError } from '../../src/beans/bean-error.ts'
import { perTurn } from '../../src/beans/per-turn.ts'
import type { SpoolFigures } from './spool.ts'

/** What a run of `processLeftBelowFiles` did. */
export type FlushFigures = { readonly files: number; readonly bytes: number; readonly failures: number }

/** The writer as its beans see and steer it. */
export type WriterView = {
  readonly vendor: string
  readonly stats: () => SpoolFigures
  /**
   * Events refused because something was full, failed, or shut down, or their sender over its quota, those of unknown
   * outcome, and those that were kept before; over all APIs.
   */
  readonly refused: () => Readonly<
    Record<'lost' | 'errored' | 'ignored' | 'throttled' | 'unknown' | 'duplicates', number>
  >
  readonly enableFlush: () => Promise<void>
  readonly disableFlush: () => Promise<void>
  readonly processLeftBelowFiles: (olderThanMs: number) => Promise<FlushFigures>
  readonly drain: () => Promise<void>
  readonly undoDrain: () => Promise<void>
  /** What is left, here and in the queues of the broker. */
  readonly drainStatus: () => Promise<Readonly<Record<string, unknown>>>
}

/** WriterQueueStats, BufferingEventCollector and HDFSWriter (the collector's specification, §4.5). */
export const writerBeans = (view: WriterView): readonly Bean[] => {
  const domain = `${view.vendor}.metrics.collector`
  const stats = perTurn(view.stats)
  const count = (description: string, read: () => number): Attribute => attribute('long', description, read)
  return [
    defineBean({
      name: `${domain}:name=WriterQueueStats`,
      description: 'Events on their way to the local disk, and files on theirs to the file system.',
      attributes: {
        EnqueuedEvents: count('Events handed to the writer.', () => {
          const { queuedEvents, writtenEvents, erroredEvents, unknownEvents } = stats()
          return queuedEvents + writtenEvents + erroredEvents + unknownEvents
        }),
        WrittenEvents: count('Events kept on the local disk.', () => stats().writtenEvents),
        HdfsFlushes: count('Files written to the file system.', () => stats().flushes),
        DroppedEvents: count('Events refused because a queue or the disk was full.', () => view.refused().lost),
        ErroredEvents: count('Events refused because the disk failed.', () => view.refused().errored),
        UnknownEvents: count(
          'Events of a failed write that may have been kept: their requests got no answer.',
          () => view.refused().unknown,
        ),
        DuplicateEvents: count(
          'Events that were left out, because events with their ids were kept before.',
          () => view.refused().duplicates,
        ),
        IgnoredEvents: count(
          'Events refused while the server was shutting down, or drained.',
          () => view.refused().ignored,
        ),
        ThrottledEvents: count(
          'Events refused because their sender was over its quota (collector.quota.*); a request that was not read counts as one.',
          () => view.refused().throttled,
        ),
      },
    }),
    defineBean({
      name: `${domain}:name=BufferingEventCollector`,
      description: 'Events in memory. LostEvents rising means that the local disk cannot keep up.',
      attributes: {
        LostEvents: count('Events refused because a queue was full.', () => view.refused().lost),
        QueueSizes: count('Events in memory, waiting to be on disk.', () => stats().queuedEvents),
      },
    }),
    hdfsWriter(domain, stats, view),
  ]
}

/** Local files that hold events which the file system has not. The open segment is one, where it holds anything. */
const countLocalFiles = ({ pendingFiles, quarantinedFiles, openEvents }: SpoolFigures): number =>
  pendingFiles + quarantinedFiles + (openEvents > 0 ? 1 : 0)

const hdfsWriter = (domain: string, stats: () => SpoolFigures, view: WriterView): Bean => {
  let cutoffMs = 0
  const setFlush = async (enabled: boolean): Promise<Readonly<Record<string, unknown>>> => {
    const changed = view.stats().flushEnabled !== enabled
    await (enabled ? view.enableFlush() : view.disableFlush())
    return { flushEnabled: enabled, changed, lasts: true, localFiles: countLocalFiles(view.stats()) }
  }
  const setDrained = async (drained: boolean): Promise<Readonly<Record<string, unknown>>> => {
    const changed = view.stats().drained !== drained
    await (drained ? view.drain() : view.undoDrain())
    return { changed, lasts: true, ...(await view.drainStatus()) }
  }
  const nbLocalFiles = 'Local files that are not in the file system yet, quarantined ones included.'
  return defineBean({
    name: `${domain}:name=HDFSWriter`,
    description:
      'Carries local files to the file system. nbLocalFiles rising means that it is too slow, or unavailable.',
    attributes: {
      nbLocalFiles: attribute('int', nbLocalFiles, () => countLocalFiles(stats())),
      FlushEnabled: attribute('boolean', 'Whether files are carried to the file system.', () => stats().flushEnabled),
      Drained: attribute(
        'boolean',
        'Whether no more events are taken, for good, and everything goes to the file system.',
        () => stats().drained,
      ),
      CutoffTime: {
        type: 'long',
        description:
          'How old a local file must be for processLeftBelowFiles, in ms since its first event; lasts until the next start.',
        read: () => cutoffMs,
        write: value => {
          if (typeof value !== 'number' || value < 0) throw new BeanError('bad-value', 'CutoffTime: expected 0 or more')
          cutoffMs = value
        },
      },
    },
    operations: {
      nbLocalFiles: { ...action(nbLocalFiles, () => countLocalFiles(view.stats())), returns: 'int' },
      enableFlush: action('Lets files go to the file system again; lasts through a restart.', () => setFlush(true)),
      disableFlush: action(
        'Keeps files on the local disk, through an outage for example; events are taken as before. Lasts through a restart.',
        () => setFlush(false),
      ),
      processLeftBelowFiles: action(
        'Carries all local files to the file system now, quarantined ones included, also while flushing is disabled.',
        () => view.processLeftBelowFiles(cutoffMs),
      ),
      drain: action(
        'Takes the collector out of service: no more events are taken, and all local files go to the file system, quarantined ones once more, also while flushing is disabled. Answers at once; drainStatus tells what is left. Lasts through a restart.',
        () => setDrained(true),
      ),
      undoDrain: action('Takes events again after drain; lasts through a restart.', () => setDrained(false)),
      drainStatus: {
        ...action(
          'The rest on the local disk and in the queues of the broker, with the reasons; "directory" and "pieces" say where.',
          () => view.drainStatus(),
        ),
        isQuery: true,
      },
    },
  })
}
