import { attribute, type Bean, type BeanOperation, defineBean } from '../../src/beans/bean.ts'

/** One set of patterns as its bean sees and steers it. */
export type FilterView = {
  /** As in the bean's name: `Host`, `IP`, … */
  readonly name: string
  /** The setting that lasts. */
  readonly setting: string
  readonly list: () => readonly string[]
  /** @throws SluiceError for a pattern that cannot be used */
  readonly addPattern: (source: string) => void
  /** Whether it was there. */
  readonly removePattern: (source: string) => boolean
}

/** A bean for each set of patterns (domain `<vendor>.metrics.collector.filters`). */
export const filterBeans = (vendor: string, filters: readonly FilterView[]): readonly Bean[] =>
  filters.map(filter =>
    defineBean({
      name: `${vendor}.metrics.collector.filters:name=${filter.name}`,
      description: `Patterns of the filter ${filter.name}; changes hold at once and until the next start, the setting ${filter.setting} lasts.`,
      attributes: { PatternSet: attribute('string[]', 'Regular expressions, searched unanchored.', filter.list) },
      operations: {
        addPattern: patternOperation('Adds a pattern.', filter, pattern => {
          const had = filter.list().includes(pattern)
          filter.addPattern(pattern)
          return !had
        }),
        removePattern: patternOperation('Removes a pattern.', filter, filter.removePattern),
      },
    }),
  )

const patternOperation = (
  description: string,
  { list, setting }: FilterView,
  change: (pattern: string) => boolean,
): BeanOperation => ({
  arguments: [{ name: 'pattern', type: 'string' }],
  returns: 'map',
  description,
  invoke: pattern => ({ changed: change(String(pattern)), patterns: list(), lasts: false, setting }),
})
