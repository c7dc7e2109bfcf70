import { SluiceError } from '../errors.ts'
import { compileLinearPattern, type LinearPattern } from '../text/linear-pattern.ts'
import type { RequestContext } from './annotations.ts'
import { quoteClient } from './parsers/event-date.ts'
import type { FilterName, FilterSettings } from './settings.ts'

/** Characters of one pattern; with the other limits it keeps a filter from costing more than the request it looks at. */
export const maxPatternLength = 512
/** Patterns in one set. */
export const maxPatterns = 256
/** Steps that all patterns of one set may take for each character, at the most. */
export const maxInstructions = 10_000
/** Characters of the text that are searched; the rest is not seen. */
export const maxMatchedLength = 1_024

/** In front of a pattern: only what such patterns are found in passes. */
const only = 'only '

/** One set of regular expressions, searched for anywhere in the text; a match drops the event, and so does none of those with `only`. */
export type EventFilter = {
  /** Sources of the patterns, in the order they were added; some begin with `only `. */
  list(): readonly string[]
  /** @throws SluiceError `bad-parameter`: no regular expression, one that is not linear, too long, too large, or too many */
  addPattern(source: string): void
  /** Whether it was there. */
  removePattern(source: string): boolean
  /** Whether the event is dropped: a pattern is found, or of those that name what may pass none is. */
  matches(text: string): boolean
  /**
   * Looks whether these patterns can take the place of those that are there.
   * @returns what puts them there
   * @throws SluiceError `bad-parameter`
   */
  prepare(sources: readonly string[]): () => void
  /** Whether nothing can match. */
  readonly isEmpty: boolean
}

/** The five sets. HTTP intake only; Scribe has no such headers. */
export type Filters = { readonly [name in FilterName]: EventFilter }

/**
 * @param onChange hears that one of them is another
 * @throws SluiceError `bad-parameter` for a setting that is not a regular expression
 */
export const createFilters = (settings: FilterSettings, onChange: () => void = () => {}): Filters => ({
  host: createFilter(settings.host, onChange),
  ip: createFilter(settings.ip, onChange),
  useragent: createFilter(settings.useragent, onChange),
  path: createFilter(settings.path, onChange),
  'event-type': createFilter(settings['event-type'], onChange),
})

/** Whether a request's headers or address drop all of its events. */
export const isRequestFiltered = (filters: Filters, context: RequestContext): boolean =>
  (!filters.host.isEmpty && filters.host.matches(context.referrer.host)) ||
  (!filters.ip.isEmpty && filters.ip.matches(context.clientAddress)) ||
  (!filters.useragent.isEmpty && filters.useragent.matches(context.userAgent)) ||
  (!filters.path.isEmpty && filters.path.matches(context.referrer.path))

const createFilter = (sources: readonly string[], onChange: () => void): EventFilter => {
  let current = createPatternSet(sources)
  return {
    list: () => [...current.patterns.keys()],
    addPattern(source) {
      current.add(source)
      onChange()
    },
    removePattern(source) {
      const wasThere = current.remove(source)
      onChange()
      return wasThere
    },
    prepare(others) {
      const next = createPatternSet(others)
      return () => {
        current = next
        onChange()
      }
    },
    get isEmpty() {
      return current.patterns.size === 0
    },
    matches(text) {
      // An absent header never matches, whatever the pattern.
      if (text === '') return false
      const searched = text.length > maxMatchedLength ? text.slice(0, maxMatchedLength) : text
      let isNamed: boolean | undefined
      for (const { pattern, isOnly } of current.patterns.values()) {
        const isFound = pattern.isFoundIn(searched)
        if (isOnly) isNamed ||= isFound
        else if (isFound) return true
      }
      return isNamed === false
    },
  }
}

/** Patterns within the limits. @throws SluiceError `bad-parameter`, as its `add` does */
const createPatternSet = (sources: readonly string[]) => {
  const patterns = new Map<string, { readonly pattern: LinearPattern; readonly isOnly: boolean }>()
  let instructions = 0
  const add = (source: string): void => {
    const isOnly = source.startsWith(only)
    const bare = isOnly ? source.slice(only.length) : source
    if (bare === '' || bare.length > maxPatternLength) {
      throw new SluiceError('bad-parameter', `A pattern has ${bare.length} characters; 1 to ${maxPatternLength} fit`)
    }
    if (patterns.size >= maxPatterns && !patterns.has(source)) {
      throw new SluiceError('bad-parameter', `A filter takes at most ${maxPatterns} patterns`)
    }
    if (patterns.has(source)) return
    const pattern = compile(bare)
    if (instructions + pattern.instructions > maxInstructions) {
      throw new SluiceError('bad-parameter', `The patterns of a filter take more than ${maxInstructions} steps in all`)
    }
    instructions += pattern.instructions
    patterns.set(source, { pattern, isOnly })
  }
  const remove = (source: string): boolean => {
    instructions -= patterns.get(source)?.pattern.instructions ?? 0
    return patterns.delete(source)
  }
  for (const source of sources) add(source)
  return { patterns, add, remove }
}

const compile = (source: string): LinearPattern => {
  try {
    return compileLinearPattern(source)
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : String(cause)
    throw new SluiceError('bad-parameter', `Pattern ${quoteClient(source)} is not a regular expression: ${reason}`, {
      cause,
    })
  }
}
