import type { Bean } from './bean.ts'
import { BeanError } from './bean-error.ts'
import { matchesName, type ObjectName, parseObjectName } from './object-name.ts'

/** Beans that the registry holds at most, sources included: what `read *:*` answers stays bounded. */
export const maxBeans = 20_000

/** Beans that come and go, such as one per event type; asked anew each time. */
export type BeanSource = () => Iterable<Bean>

/** One page of beans. */
export type BeanPage = {
  readonly beans: readonly Bean[]
  /** Canonical name of the last bean when more follow. */
  readonly next?: string
}

/** Which beans a page holds. */
export type PageOptions = {
  /** @default all */
  readonly pattern?: ObjectName | string | undefined
  readonly limit: number
  /** `next` of the page before. */
  readonly after?: string | undefined
}

/** All beans of the process, by name. Knows no transport, and no roles. */
export type Registry = {
  /** @returns what takes it out again. @throws BeanError `bean-exists`, `too-many` */
  register(bean: Bean): () => void
  /** Adds beans that are made when asked for. @returns what takes them out again */
  registerSource(source: BeanSource): () => void
  /** @throws BeanError `bean-not-found`, or `bad-name` for a pattern */
  get(name: ObjectName | string): Bean
  /** Beans whose names match, in the order of their canonical names; all without a pattern. */
  find(pattern?: ObjectName | string): readonly Bean[]
  /** A page of them. */
  page(options: PageOptions): BeanPage
}

/** Makes an empty registry. */
export const createRegistry = (): Registry => {
  const fixed = new Map<string, Bean>()
  const sources = new Set<BeanSource>()
  /** The fixed beans in order; made when first needed after a change. */
  let sorted: readonly Bean[] | undefined
  /** What sources gave last, and all beans with them in order: mostly nothing has changed since. */
  let merged:
    | { readonly moving: readonly Bean[]; readonly of: readonly Bean[]; readonly beans: readonly Bean[] }
    | undefined

  const all = (): readonly Bean[] => {
    sorted ??= [...fixed.values()].sort(byName)
    if (sources.size === 0) return sorted
    const moving = [...sources].flatMap(source => [...source()]).filter(({ name }) => !fixed.has(name.canonical))
    if (moving.length === 0) return sorted
    const isSame = merged?.of === sorted && merged.moving.length === moving.length
    if (!isSame || merged?.moving.some((bean, i) => bean !== moving[i])) {
      merged = { moving, of: sorted, beans: [...sorted, ...moving].sort(byName).slice(0, maxBeans) }
    }
    return merged?.beans ?? sorted
  }

  const find = (pattern: ObjectName | string = '*:*'): readonly Bean[] => {
    const parsed = typeof pattern === 'string' ? parseObjectName(pattern) : pattern
    if (!parsed.isPattern) {
      const bean = lookUp(parsed.canonical)
      return bean ? [bean] : []
    }
    return parsed.canonical === '*:*' ? all() : all().filter(({ name }) => matchesName(parsed, name))
  }

  const lookUp = (canonical: string): Bean | undefined => {
    const bean = fixed.get(canonical)
    if (bean || sources.size === 0) return bean
    return all().find(({ name }) => name.canonical === canonical)
  }

  return {
    register: bean => {
      const { canonical } = bean.name
      if (fixed.has(canonical)) throw new BeanError('bean-exists', `There is a bean ${canonical} already`)
      if (fixed.size >= maxBeans) throw new BeanError('too-many', `The registry holds ${maxBeans} beans; no more fit`)
      fixed.set(canonical, bean)
      sorted = undefined
      return () => {
        if (fixed.get(canonical) !== bean) return
        fixed.delete(canonical)
        sorted = undefined
      }
    },
    registerSource: source => {
      sources.add(source)
      return () => void sources.delete(source)
    },
    get: name => {
      const parsed = typeof name === 'string' ? parseObjectName(name) : name
      if (parsed.isPattern)
        throw new BeanError('bad-name', `${parsed.canonical} is a pattern; expected one bean's name`)
      const bean = lookUp(parsed.canonical)
      if (!bean) throw new BeanError('bean-not-found', `There is no bean ${parsed.canonical}`)
      return bean
    },
    find,
    page: ({ pattern, limit, after }) => {
      const found = find(pattern)
      const start = after === undefined ? 0 : firstAfter(found, after)
      const beans = found.slice(start, start + limit)
      const last = beans.at(-1)
      return { beans, ...(last && start + limit < found.length ? { next: last.name.canonical } : {}) }
    },
  }
}

const byName = (a: Bean, b: Bean): number =>
  a.name.canonical < b.name.canonical ? -1 : a.name.canonical > b.name.canonical ? 1 : 0

/** Position of the first name behind `after`, which need not be there (any more). */
const firstAfter = (beans: readonly Bean[], after: string): number => {
  let low = 0
  let high = beans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((beans[middle]?.name.canonical ?? '') <= after) low = middle + 1
    else high = middle
  }
  return low
}
