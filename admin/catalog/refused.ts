import { type Bean, defineBean } from '../../src/beans/bean.ts'

/** What the bean of refused events looks at: what became of them, since the start. */
export type RefusedView = Readonly<Record<'kept' | 'beyondLimit' | 'failed', number>>

/** The object name of {@link refusedBean}. */
export const refusedName = (vendor: string): string => `${vendor}.metrics.collector:name=Refused`

/** What is stored of refused events. */
export const refusedBean = (vendor: string, figures: RefusedView): Bean =>
  defineBean({
    name: refusedName(vendor),
    description:
      'Refused events: rows of _refused in the output directory say why, and what was sent. What contracts set aside is there as well, and counts as accepted.',
    attributes: {
      Kept: {
        type: 'long',
        description: 'Refused events that were stored since the start.',
        read: () => figures.kept,
      },
      BeyondLimit: {
        type: 'long',
        description: 'Those that were only counted: collector.refused.max-bytes-per-hour was reached.',
        read: () => figures.beyondLimit,
      },
      Failed: {
        type: 'long',
        description: 'Those that were only counted, because the spool did not take them.',
        read: () => figures.failed,
      },
    },
  })
