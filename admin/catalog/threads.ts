import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import type { ThreadFigures } from '../../src/collector/problems/thread-problems.ts'

/** Threads that take connections; the main thread does with `server.threads=1`. */
export const threadsBean = (vendor: string, read: () => ThreadFigures | undefined): Bean =>
  defineBean({
    name: `${vendor}.metrics:name=EdgeThreads`,
    description: 'Threads that take connections and events.',
    attributes: {
      Configured: attribute(
        'long',
        'As many as there should be; 0: the main thread takes connections.',
        () => read()?.configured ?? 0,
      ),
      Living: attribute('long', 'Those that take connections.', () => read()?.living ?? 0),
      Ended: attribute('long', 'Those that ended unexpectedly, since the start.', () => read()?.ended ?? 0),
      LastEnd: attribute('string', 'Why the last of them ended.', () => read()?.lastEnd ?? ''),
      Replacing: attribute(
        'boolean',
        'Whether one that ends is replaced; not when files of the server have changed since its start.',
        () => read()?.isReplacing ?? true,
      ),
    },
  })
