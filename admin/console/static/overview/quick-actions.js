import { formatBytes, formatCount } from '../elements/format.js'

/**
 * The most frequent actions of an operator, as buttons beside their figures.
 * @typedef {keyof typeof quickActions} QuickAction
 * @typedef {{
 *   readonly label: string, readonly title: string, readonly sentence: string,
 *   readonly bean: string, readonly operation: string, readonly args?: readonly unknown[],
 *   readonly toText: (result: any) => string,
 * }} Quick `bean`: after the vendor's prefix; `toText`: the outcome, in words
 */

const writer = 'metrics.collector:name=HDFSWriter'
const realtime = 'metrics.collector:name=RTSubsystem'

export const quickActions = /** @satisfies {Readonly<Record<string, Quick>>} */ ({
  flushNow: {
    label: 'Flush now',
    title: 'Take all waiting files to the file system now',
    sentence: 'Quarantined files are retried too, also while commits are held.',
    bean: writer,
    operation: 'processLeftBelowFiles',
    toText: ({ files, bytes, failures }) =>
      failures > 0
        ? `${formatCount(failures, 'file')} could not be flushed; ${formatCount(files, 'file')} could`
        : files === 0
          ? 'Nothing was waiting'
          : `Flushed ${formatCount(files, 'file')}, ${formatBytes(bytes)}`,
  },
  hold: {
    label: 'Hold',
    title: 'Hold commits',
    sentence: 'Events are taken as before and stay on the local disk, through a restart too, until somebody resumes.',
    bean: writer,
    operation: 'disableFlush',
    toText: () => 'Commits are held',
  },
  resume: {
    label: 'Resume',
    title: 'Resume commits',
    sentence: 'What waits on the local disk goes to the file system, oldest first.',
    bean: writer,
    operation: 'enableFlush',
    toText: () => 'Commits go on',
  },
  undoDrain: {
    label: 'Undo',
    title: 'Take events again',
    sentence: 'The collector takes events as before it was drained.',
    bean: writer,
    operation: 'undoDrain',
    toText: () => 'Events are taken again',
  },
  realtimeOff: {
    label: 'Turn off',
    title: 'Turn realtime forwarding off',
    sentence: 'Events that come meanwhile never reach the broker; they are stored as before. Until the next start.',
    bean: realtime,
    operation: 'disable',
    toText: () => 'Events are not forwarded',
  },
  realtimeOn: {
    label: 'Turn on',
    title: 'Turn realtime forwarding on',
    sentence: 'Events that come from now on go to the broker.',
    bean: realtime,
    operation: 'enable',
    toText: () => 'Events are forwarded',
  },
})
