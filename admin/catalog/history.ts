import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import type { History } from '../../src/figures/history.ts'

/** What the server remembers of its own figures: the charts of the console, and `sluice stats --since`. */
export const historyBean = (vendor: string, history: History): Bean =>
  defineBean({
    name: `${vendor}.metrics:name=History`,
    description:
      'The figures of the last day: every 10 seconds for an hour, every minute for a day, in memory, since the start.',
    attributes: {
      Samples: attribute('long', 'Samples that are kept.', () => history.size),
      Oldest: attribute('long', 'Time of the oldest, in ms since the epoch; 0 without any.', () => history.oldest),
    },
    operations: {
      samples: {
        arguments: [
          { name: 'since', type: 'long' },
          { name: 'until', type: 'long' },
        ],
        returns: 'map',
        isQuery: true,
        description:
          'The samples of a span of time (ms since the epoch) in columns, 1,440 at most: the time between two, the times, and the values by name, null where nothing is known. Every 10 seconds where that reaches so far back, every minute otherwise.',
        invoke: (since, until) => history.samples(Number(since), Number(until)),
      },
    },
  })
