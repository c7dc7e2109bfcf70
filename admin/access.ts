import type { Attribute, Bean } from '../src/beans/bean.ts'
import { BeanError, quote } from '../src/beans/bean-error.ts'
import { parseObjectName } from '../src/beans/object-name.ts'
import type { BeanPage, PageOptions, Registry } from '../src/beans/registry.ts'
import { toPlain, toTyped } from '../src/beans/value.ts'
import type { Identity } from '../src/http/auth.ts'
import { type Audit, type AuditEntry, toAuditText } from './audit.ts'

/** Who asks, and from where. */
export type Caller = { readonly identity: Identity; readonly from: string }

/** Attribute values by name. */
export type Values = Readonly<Record<string, unknown>>

/** Beans whose attributes one request may read, over all calls of its batch. */
const maxBeansRead = 20_000

/**
 * The beans as one request of a caller sees them, whatever the protocol: roles are checked, values are of the declared
 * types, what is read is bounded, and each write and each operation leaves one line in the audit, also when it is
 * refused or fails. Everything throws `BeanError`: `denied` without the role, `too-many` for a request that reads more
 * than it may.
 */
export type BeanAccess = {
  page(options: PageOptions): BeanPage
  /** Beans that match a pattern; all without one. */
  find(pattern?: string): readonly Bean[]
  /** One attribute of a bean: its value. Several, or all: by name. Of a pattern: by bean, of those that have some. */
  read(mbean: string, attribute?: string | readonly string[], options?: ReadOptions): unknown
  /** @returns the old value */
  write(mbean: string, attribute: string, value: unknown): Promise<unknown>
  /** @returns what the operation gives. @throws what the operation throws */
  exec(mbean: string, operation: string, args: readonly unknown[]): Promise<unknown>
  /** Counts beans that are read. */
  spend(beans: number): void
}

/** What stands for an attribute of one bean that cannot be read. @default its error is thrown */
export type ReadOptions = { readonly onError?: ((error: unknown) => unknown) | undefined }

/** What the access is made of. */
export type AccessParts = { readonly registry: Registry; readonly audit: Audit; readonly now: () => number }

/** Makes the access to a registry for each request. */
export type OpenBeans = (caller: Caller) => BeanAccess

/** Makes what opens the beans of a registry. */
export const createAccess =
  ({ registry, audit, now }: AccessParts): OpenBeans =>
  caller => {
    let spent = 0
    const spend = (beans: number): void => {
      spent += beans
      if (spent > maxBeansRead) {
        throw new BeanError('too-many', `One request may read ${maxBeansRead} beans; narrow the patterns`)
      }
    }
    const checkView = (): void => {
      if (!caller.identity.has('view')) throw new BeanError('denied', 'The token lacks the role view')
    }
    const audited = async (
      what: Pick<AuditEntry, 'action' | 'mbean' | 'member'> & { readonly given: unknown },
      act: () => unknown,
    ): Promise<unknown> => {
      const { given, ...rest } = what
      const record = (outcome: AuditEntry['outcome'], result: unknown): void =>
        audit.record({
          at: now(),
          who: caller.identity.name,
          from: caller.from,
          ...rest,
          mbean: toAuditText(rest.mbean),
          member: toAuditText(rest.member),
          arguments: toAuditText(given),
          outcome,
          result: toAuditText(result),
        })
      try {
        if (!caller.identity.has('operate')) throw new BeanError('denied', 'The token lacks the role operate')
        const result = toPlain(await act())
        record('ok', result)
        return result
      } catch (error) {
        const outcome = error instanceof BeanError && error.code === 'denied' ? 'denied' : 'failed'
        record(outcome, error instanceof Error ? error.message : 'unknown error')
        throw error
      }
    }

    return {
      spend,
      page: options => {
        checkView()
        return registry.page(options)
      },
      find: pattern => {
        checkView()
        return registry.find(pattern)
      },
      read: (mbean, attribute, options = {}) => {
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
        const beans = registry.find(name).filter(bean => names?.some(has(bean)) ?? true)
        spend(beans.length)
        return Object.fromEntries(beans.map(bean => [bean.name.canonical, readMany(bean, names?.filter(has(bean)))]))
      },
      write: (mbean, name, value) =>
        audited({ action: 'write', mbean, member: name, given: value }, () => {
          const { read, write, type } = attributeOf(registry.get(parseObjectName(mbean)), name)
          if (!write) throw new BeanError('read-only', `The attribute ${quote(name)} cannot be written`)
          const typed = toTyped(value, type, name)
          const old = read()
          write(typed)
          return old
        }),
      exec: (mbean, name, args) =>
        audited({ action: 'exec', mbean, member: name, given: args }, () => {
          const { operations } = registry.get(parseObjectName(mbean))
          const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
          if (!operation) throw new BeanError('operation-not-found', `${mbean} has no operation ${quote(name)}`)
          const declared = operation.arguments
          if (args.length !== declared.length) {
            const want = declared.map(({ name: argument, type }) => `${argument}: ${type}`).join(', ')
            throw new BeanError('bad-value', `${name} takes ${declared.length} arguments (${want}), got ${args.length}`)
          }
          return operation.invoke(...declared.map((argument, i) => toTyped(args[i], argument.type, argument.name)))
        }),
    }
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
    throw new BeanError('attribute-not-found', `${bean.name.canonical} has no attribute ${quote(name)}`)
  }
  return attribute
}
