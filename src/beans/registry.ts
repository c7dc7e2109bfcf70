import type { Bean } from './bean.ts'
import { BeanError } from './bean-error.ts'
import { type ObjectName, parseObjectName } from './object-name.ts'

/** Beans that the registry holds at most, sources included: what `read *:*` answers stays bounded. */
export const maxBeans = 20_000

/** Beans that come and go, such as one per event type; asked each time, and the same list while nothing has changed. */
export type BeanSource = () => readonly Bean[]

/** All beans of the process, by name. Knows no transport, and no roles. */
export type Registry = {
  /** @returns what takes it out again. @throws BeanError `bean-exists`, `too-many` */
  register(bean: Bean): () => void
  /** Adds beans that are made when asked for. @returns what takes them out again */
  registerSource(source: BeanSource): () => void
  /** @throws BeanError `bean-not-found`, or `bad-name` for a pattern */
  get(name: ObjectName | string): Bean
  /** As they are now, in the order of their canonical names; a list that does not change any more. */
  all(): readonly Bean[]
}

/** Makes an empty registry. */
export const createRegistry = (): Registry => {
  const fixed = new Map<string, Bean>()
  const sources = new Set<BeanSource>()
  /** The fixed beans in order; made when first needed after a change. */
  let sorted: readonly Bean[] | undefined
  /** What all of them gave last, and that in order: mostly nothing has changed since. */
  let merged: { readonly of: readonly (readonly Bean[])[]; readonly beans: readonly Bean[] } | undefined

  const all = (): readonly Bean[] => {
    sorted ??= [...fixed.values()].sort(byName)
    const of = [sorted, ...Array.from(sources, source => source())]
    if (merged?.of.length !== of.length || of.some((list, i) => list !== merged?.of[i])) {
      const moving = of.slice(1).flat()
      const more = moving.filter(({ name }) => !fixed.has(name.canonical))
      merged = { of, beans: more.length === 0 ? sorted : [...sorted, ...more].sort(byName).slice(0, maxBeans) }
    }
    return merged.beans
  }

  const lookUp = (canonical: string): Bean | undefined => {
    const bean = fixed.get(canonical)
    if (bean || sources.size === 0) return bean
    return all().find(({ name }) => name.canonical === canonical)
  }

  return {
    register: bean => {
      const { canonical } = bean.name
      if (fixed.has(canonical)) throw new BeanError('bean-exists', `The bean ${canonical} exists already`)
      if (fixed.size >= maxBeans) throw new BeanError('too-many', `The registry is full: it holds ${maxBeans} beans`)
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
    all,
  }
}

const byName = (a: Bean, b: Bean): number =>
  a.name.canonical < b.name.canonical ? -1 : a.name.canonical > b.name.canonical ? 1 : 0
