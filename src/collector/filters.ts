import { SluiceError } from '../errors.ts'
import { compileLinearPattern, type LinearPattern } from '../linear-pattern.ts'
import type { RequestContext } from './annotations.ts'
import { quote } from './parsers/event-date.ts'
import type { FilterName, FilterSettings } from './settings.ts'

/** Characters of one pattern; with the other limits it keeps a filter from costing more than the request it looks at. */
export const maxPatternLength = 512
/** Patterns in one set. */
export const maxPatterns = 256
/** Steps that all patterns of one set may take for each character, at the most. */
export const maxInstructions = 10_000
/** Characters of the text that are searched; what lies behind is not seen. */
export const maxMatchedLength = 1_024

/** One set of regular expressions, searched for anywhere in the text; a match drops the event. */
export type Filter = {
  /** Sources of the patterns, in the order they were added. */
  list(): readonly string[]
  /** @throws SluiceError `bad-parameter`: no regular expression, one that is not linear, too long, too large, or too many */
  addPattern(source: string): void
  /** Whether it was there. */
  removePattern(source: string): boolean
  /** Whether the event is dropped: a pattern is found, or none is where the set names what may pass. */
  matches(text: string): boolean
  /**
   * Looks whether these patterns can take the place of those that are there.
   * @returns what puts them there
   * @throws SluiceError `bad-parameter`
   */
  prepare(sources: readonly string[], isIncluded: boolean): () => void
  /** Whether nothing can match. */
  readonly isEmpty: boolean
}

/** The five sets. HTTP intake only; Scribe has no such headers. */
export type Filters = { readonly [name in FilterName]: Filter }

/** @throws SluiceError `bad-parameter` for a setting that is not a regular expression */
export const createFilters = (settings: FilterSettings): Filters => ({
  host: createFilter(settings.host),
  ip: createFilter(settings.ip),
  useragent: createFilter(settings.useragent),
  path: createFilter(settings.path),
  'event-type': createFilter(settings['event-type'], settings.eventTypeIncluded),
})

/** Whether a request's headers or address drop all of its events. */
export const isRequestFiltered = (filters: Filters, context: RequestContext): boolean =>
  (!filters.host.isEmpty && filters.host.matches(context.referrer.host)) ||
  (!filters.ip.isEmpty && filters.ip.matches(context.clientAddress)) ||
  (!filters.useragent.isEmpty && filters.useragent.matches(context.userAgent)) ||
  (!filters.path.isEmpty && filters.path.matches(context.referrer.path))

/** @param isIncluded the patterns name what may pass; with none of them nothing does */
const createFilter = (sources: readonly string[], isIncluded = false): Filter => {
  let current = createPatternSet(sources, isIncluded)
  return {
    list: () => [...current.patterns.keys()],
    addPattern: source => current.add(source),
    removePattern: source => current.remove(source),
    prepare(others, areIncluded) {
      const next = createPatternSet(others, areIncluded)
      return () => {
        current = next
      }
    },
    get isEmpty() {
      return current.patterns.size === 0 && !current.isIncluded
    },
    matches(text) {
      // An absent header never matches, whatever the pattern.
      if (text === '') return false
      const searched = text.length > maxMatchedLength ? text.slice(0, maxMatchedLength) : text
      for (const pattern of current.patterns.values()) if (pattern.isFoundIn(searched)) return !current.isIncluded
      return current.isIncluded
    },
  }
}

/** Patterns within the limits. @throws SluiceError `bad-parameter`, as its `add` does */
const createPatternSet = (sources: readonly string[], isIncluded: boolean) => {
  const patterns = new Map<string, LinearPattern>()
  let instructions = 0
  const add = (source: string): void => {
    if (source === '' || source.length > maxPatternLength) {
      throw new SluiceError('bad-parameter', `A pattern has ${source.length} characters; 1 to ${maxPatternLength} fit`)
    }
    if (patterns.size >= maxPatterns && !patterns.has(source)) {
      throw new SluiceError('bad-parameter', `A filter takes at most ${maxPatterns} patterns`)
    }
    if (patterns.has(source)) return
    const pattern = compile(source)
    if (instructions + pattern.instructions > maxInstructions) {
      throw new SluiceError('bad-parameter', `The patterns of a filter take more than ${maxInstructions} steps in all`)
    }
    instructions += pattern.instructions
    patterns.set(source, pattern)
  }
  const remove = (source: string): boolean => {
    instructions -= patterns.get(source)?.instructions ?? 0
    return patterns.delete(source)
  }
  for (const source of sources) add(source)
  return { patterns, isIncluded, add, remove }
}

const compile = (source: string): LinearPattern => {
  try {
    return compileLinearPattern(source)
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : String(cause)
    throw new SluiceError('bad-parameter', `Pattern ${quote(source)} is not a regular expression: ${reason}`, { cause })
  }
}
