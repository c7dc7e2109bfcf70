import type { Attribute, Bean } from '../src/beans/bean.ts'
import { BeanError, quote } from '../src/beans/bean-error.ts'
import { parseObjectName } from '../src/beans/object-name.ts'
import type { Registry } from '../src/beans/registry.ts'
import { toPlain, toTyped } from '../src/beans/value.ts'
import type { Identity } from '../src/http/auth.ts'
import { type Audit, type AuditEntry, toAuditText } from './audit.ts'

/** Who asks, and from where. */
export type Caller = { readonly identity: Identity; readonly from: string }

/** Attribute values by name. */
export type Values = Readonly<Record<string, unknown>>

/**
 * What every protocol does with beans: roles are checked, values are of the declared types, and each write and each
 * operation leaves one line in the audit, also when it is refused or fails.
 */
export type Access = {
  /** @throws BeanError `denied` without the role `view` */
  checkView(caller: Caller): void
  /** One attribute. @throws BeanError */
  readOne(bean: Bean, attribute: string): unknown
  /** The named attributes, or all. @throws BeanError for the first that is missing, unless `skipsMissing` */
  readMany(bean: Bean, attributes: readonly string[] | undefined, skipsMissing?: boolean): Values
  /** @returns the old value. @throws BeanError */
  write(caller: Caller, mbean: string, attribute: string, value: unknown): Promise<unknown>
  /** @returns what the operation gives. @throws BeanError, and what the operation throws */
  exec(caller: Caller, mbean: string, operation: string, args: readonly unknown[]): Promise<unknown>
}

/** Makes the access to a registry. */
export const createAccess = (parts: {
  readonly registry: Registry
  readonly audit: Audit
  readonly now: () => number
}): Access => {
  const { registry, audit, now } = parts

  const audited = async (
    caller: Caller,
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
    checkView: ({ identity }) => {
      if (!identity.has('view')) throw new BeanError('denied', 'The token lacks the role view')
    },
    readOne: (bean, name) => toPlain(attributeOf(bean, name).read()),
    readMany: (bean, names = Object.keys(bean.attributes), skipsMissing = false) =>
      Object.fromEntries(
        names
          .filter(name => !skipsMissing || Object.hasOwn(bean.attributes, name))
          .map(name => [name, toPlain(attributeOf(bean, name).read())]),
      ),
    write: (caller, mbean, name, value) =>
      audited(caller, { action: 'write', mbean, member: name, given: value }, () => {
        const { read, write, type } = attributeOf(registry.get(parseObjectName(mbean)), name)
        if (!write) throw new BeanError('read-only', `The attribute ${quote(name)} cannot be written`)
        const typed = toTyped(value, type, name)
        const old = read()
        write(typed)
        return old
      }),
    exec: (caller, mbean, name, args) =>
      audited(caller, { action: 'exec', mbean, member: name, given: args }, () => {
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

const attributeOf = (bean: Bean, name: string): Attribute => {
  const attribute = Object.hasOwn(bean.attributes, name) ? bean.attributes[name] : undefined
  if (!attribute) {
    throw new BeanError('attribute-not-found', `${bean.name.canonical} has no attribute ${quote(name)}`)
  }
  return attribute
}
