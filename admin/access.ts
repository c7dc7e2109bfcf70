import type { Attribute, Bean, BeanOperation } from '../src/beans/bean.ts'
import { BeanError, quoteText } from '../src/beans/bean-error.ts'
import { matchesName, type ObjectName, parseObjectName } from '../src/beans/object-name.ts'
import type { Registry } from '../src/beans/registry.ts'
import { toPlain, toTyped } from '../src/beans/value.ts'
import { nearest } from '../src/text/nearest.ts'
import type { Audit } from './audit.ts'
import { type Caller, createAudited } from './audited.ts'
import type { RequestTurns } from './turns.ts'

/** Attribute values by name. */
export type Values = Readonly<Record<string, unknown>>

/** One page of beans. */
export type BeanListing = {
  readonly beans: readonly Bean[]
  /** Canonical name of the last bean when more follow. */
  readonly next?: string
}

/** Which beans a page holds. */
export type PageOptions = {
  /** @default all */
  readonly pattern?: string | undefined
  readonly limit: number
  /** `next` of the page before. */
  readonly after?: string | undefined
}

/** Beans whose attributes one request may read, over all calls of its batch. */
const maxBeansRead = 20_000

/**
 * The beans as one request of a caller sees them, whatever the protocol: roles are checked, values are of the declared
 * types, what is read is bounded, and each write and each operation that is more than a query leaves one line in the
 * audit, also when it is refused or fails. Where many beans are looked at, others have their turn between two of them; the attributes of one
 * are read in one turn. Everything throws `BeanError`: `denied` without the role, `too-many` for a request that reads
 * more than it may; and what is read in many turns throws `ClientGone`.
 */
export type BeanAccess = {
  page(options: PageOptions): Promise<BeanListing>
  /** Beans that match a pattern, in the order of their names; all without one. */
  find(pattern?: string): Promise<readonly Bean[]>
  /** One attribute of a bean: its value. Several, or all: by name. Of a pattern: a map by bean, of those that have some. */
  read(mbean: string, attribute?: string | readonly string[], options?: ReadOptions): Promise<unknown>
  /** @returns the old value */
  write(mbean: string, attribute: string, value: unknown): Promise<unknown>
  /** @returns what the operation gives. @throws what the operation throws */
  exec(mbean: string, operation: string, args: readonly unknown[]): Promise<unknown>
  /** Counts beans that are read. */
  spend(beans: number): void
}

/** The value in place of an attribute of one bean that cannot be read. @default its error is thrown */
export type ReadOptions = { readonly onError?: ((error: unknown) => unknown) | undefined }

/** The dependencies of the access. */
export type AccessParts = { readonly registry: Registry; readonly audit: Audit; readonly now: () => number }

/** Makes the access to a registry for each request. */
export type OpenBeans = (request: { readonly caller: Caller; readonly turns: RequestTurns }) => BeanAccess

/** Makes what opens the beans of a registry. */
export const createAccess =
  ({ registry, audit, now }: AccessParts): OpenBeans =>
  ({ caller, turns }) => {
    let spent = 0
    const spend = (beans: number): void => {
      spent += beans
      if (spent > maxBeansRead) {
        throw new BeanError('too-many', `One request may read at most ${maxBeansRead} beans; narrow the patterns`)
      }
    }
    const checkView = (): void => checkRole(caller, 'view')
    const select = async (
      name: ObjectName | undefined,
      isWanted: (bean: Bean) => boolean = () => true,
    ): Promise<readonly Bean[]> => {
      const found: Bean[] = []
      await turns.each(registry.all(), bean => {
        if ((name === undefined || matchesName(name, bean.name)) && isWanted(bean)) found.push(bean)
      })
      return found
    }
    const find = async (pattern?: string): Promise<readonly Bean[]> => {
      checkView()
      return pattern === undefined || pattern === '*:*' ? registry.all() : select(parseObjectName(pattern))
    }
    const audited = createAudited(audit, now, caller)

    return {
      spend,
      find,
      page: async ({ pattern, limit, after }) => {
        const found = await find(pattern)
        const start = after === undefined ? 0 : firstAfter(found, after)
        const beans = found.slice(start, start + limit)
        const last = beans.at(-1)
        return { beans, ...(last && start + limit < found.length ? { next: last.name.canonical } : {}) }
      },
      read: async (mbean, attribute, options = {}) => {
        checkView()
        const name = parseObjectName(mbean)
        if (!name.isPattern) {
          spend(1)
          const bean = registry.get(name)
          return typeof attribute === 'string' ? readOne(bean, attribute) : readMany(bean, attribute, options)
        }
        const names = typeof attribute === 'string' ? [attribute] : attribute
        const has =
          (bean: Bean) =>
          (one: string): boolean =>
            Object.hasOwn(bean.attributes, one)
        const beans = await select(name, bean => names?.some(has(bean)) ?? true)
        spend(beans.length)
        const values = new Map<string, Values>()
        await turns.each(beans, bean => {
          values.set(bean.name.canonical, readMany(bean, names?.filter(has(bean))))
        })
        return values
      },
      write: (mbean, name, value) =>
        audited({ action: 'write', mbean, member: name, given: value }, () => {
          const { read, write, type } = attributeOf(registry.get(parseObjectName(mbean)), name)
          if (!write) throw new BeanError('read-only', `The attribute ${quoteText(name)} cannot be written`)
          const typed = toTyped(value, type, name)
          const old = read()
          write(typed)
          return old
        }),
      exec: async (mbean, name, args) => {
        const invoke = (): unknown => {
          const operation = operationOf(registry.get(parseObjectName(mbean)), name)
          if (operation.showsEvents) checkRole(caller, 'read')
          return operation.invoke(...toArguments(operation, name, args))
        }
        if (!isQuery(registry, mbean, name)) {
          return await audited({ action: 'exec', mbean, member: name, given: args }, invoke)
        }
        checkView()
        spend(1)
        return toPlain(await invoke())
      },
    }
  }

/** @throws BeanError `denied` */
const checkRole = ({ identity }: Caller, role: 'view' | 'read'): void => {
  if (!identity.has(role)) throw new BeanError('denied', `The token lacks the role ${role}`)
}

/** Whether it is an operation that only reads; an unknown one counts as a change, for roles and audit. */
const isQuery = (registry: Registry, mbean: string, name: string): boolean => {
  try {
    return operationOf(registry.get(parseObjectName(mbean)), name).isQuery === true
  } catch {
    return false
  }
}

const operationOf = (bean: Bean, name: string): BeanOperation => {
  const operation = Object.hasOwn(bean.operations, name) ? bean.operations[name] : undefined
  if (operation) return operation
  throw new BeanError(
    'operation-not-found',
    `${bean.name.canonical} has no operation ${quoteText(name)}${meant(name, bean.operations)}`,
  )
}

/** The nearest of the names, as the end of a message; empty where none is near. */
const meant = (name: string, known: object): string => {
  const near = nearest(name, Object.keys(known))
  return near === undefined ? '' : `; did you mean ${near}?`
}

const toArguments = ({ arguments: declared }: BeanOperation, name: string, args: readonly unknown[]): unknown[] => {
  if (args.length === declared.length)
    return declared.map((argument, i) => toTyped(args[i], argument.type, argument.name))
  const want = declared.map(({ name: argument, type }) => `${argument}: ${type}`).join(', ')
  throw new BeanError('bad-value', `${name} takes ${declared.length} arguments (${want}), got ${args.length}`)
}

/** Position of the first name after `after`, which need not be there (any more). */
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

const readOne = (bean: Bean, name: string): unknown => toPlain(attributeOf(bean, name).read())

const readMany = (
  bean: Bean,
  names: readonly string[] = Object.keys(bean.attributes),
  { onError }: ReadOptions = {},
): Values =>
  Object.fromEntries(
    names.map(name => {
      try {
        return [name, readOne(bean, name)]
      } catch (error) {
        if (!onError) throw error
        return [name, onError(error)]
      }
    }),
  )

const attributeOf = (bean: Bean, name: string): Attribute => {
  const attribute = Object.hasOwn(bean.attributes, name) ? bean.attributes[name] : undefined
  if (!attribute) {
    throw new BeanError(
      'attribute-not-found',
      `${bean.name.canonical} has no attribute ${quoteText(name)}${meant(name, bean.attributes)}`,
    )
  }
  return attribute
}
