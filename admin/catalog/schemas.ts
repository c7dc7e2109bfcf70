import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { BeanError, quoteText } from '../../src/beans/bean-error.ts'

/** A column of an event type; times in ms since the epoch. */
export type ColumnFigures = {
  readonly name: string
  readonly type: string
  readonly misfits: number
  readonly lastMisfitAt?: number
}

/** What the spool remembers of event types, as its bean sees and steers it. */
export type SchemasView = {
  readonly figures: { readonly types: number; readonly columns: number; readonly misfits: number }
  /** All types, with the misfits of each. */
  readonly misfits: () => Iterable<readonly [eventType: string, misfits: number]>
  /** Bounded. */
  readonly describe: (
    eventType: string,
  ) =>
    | { readonly columns: readonly ColumnFigures[]; readonly columnCount: number; readonly misfits: number }
    | undefined
  readonly forget: (eventType: string) => Promise<boolean>
}

/** Types in `MostMisfits`. */
const maxMost = 100

/** Types in one answer of `eventTypes`. */
const maxPage = 1_000

/**
 * The columns that Parquet files of each event type have. One bean for all types and not one for each: 10 000 of them,
 * beside those that count events by type, would be more than the registry holds and a list of beans should show.
 */
export const schemasBean = (vendor: string, { figures, misfits, describe, forget }: SchemasView): Bean =>
  defineBean({
    name: `${vendor}.metrics.collector:name=ParquetSchemas`,
    description: 'The columns of event types, as their Parquet files have them; remembered in the spool.',
    attributes: {
      EventTypes: attribute('long', 'Types that are remembered; 10,000 at most.', () => figures.types),
      Columns: attribute(
        'long',
        'Their columns, members of structs counted; 100,000 at most. Beyond either, fields are in _extra.',
        () => figures.columns,
      ),
      Misfits: attribute(
        'long',
        'Values since the start that did not fit their columns and were written to _extra.',
        () => figures.misfits,
      ),
      MostMisfits: attribute('list', 'The 100 types with the most of them, and how many each has.', () =>
        Array.from(misfits())
          .filter(([, count]) => count > 0)
          .sort(([, a], [, b]) => b - a)
          .slice(0, maxMost)
          .map(([eventType, count]) => ({ eventType, misfits: count })),
      ),
    },
    operations: {
      eventTypes: {
        arguments: [{ name: 'after', type: 'string' }],
        returns: 'map',
        description:
          'Names of types in order, 1,000 in one answer: those behind "after", which is empty at first and then "next".',
        invoke: after => toPage(Array.from(misfits(), ([eventType]) => eventType).sort(), String(after)),
      },
      describe: {
        arguments: [{ name: 'eventType', type: 'string' }],
        returns: 'map',
        description: 'The columns of a type in their order, what they hold, and the values that they could not hold.',
        invoke: eventType => {
          const found = describe(String(eventType))
          if (!found) throw unknown(String(eventType))
          return { eventType, ...found }
        },
      },
      forget: {
        arguments: [{ name: 'eventType', type: 'string' }],
        returns: 'map',
        description:
          'Forgets the columns of a type; they are inferred again from its next events. A column may then have another type than in earlier files, and readers that do not unify types refuse both together. Move or rewrite the earlier files first.',
        invoke: async eventType => {
          if (!(await forget(String(eventType)))) throw unknown(String(eventType))
          return { eventType, forgotten: true }
        },
      },
    },
  })

const toPage = (names: readonly string[], after: string): { eventTypes: readonly string[]; next?: string } => {
  const behind = names.filter(name => name > after)
  const eventTypes = behind.slice(0, maxPage)
  const next = behind.length > maxPage ? eventTypes.at(-1) : undefined
  return { eventTypes, ...(next === undefined ? {} : { next }) }
}

const unknown = (eventType: string): BeanError =>
  new BeanError('bad-value', `No columns are known for event type ${quoteText(eventType)}`)
