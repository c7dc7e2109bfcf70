import { BeanError } from './bean-error.ts'
import { type ObjectName, parseObjectName } from './object-name.ts'
import type { ValueType } from './value.ts'

/** What can be read, and where `write` is there set, under one name. */
export type Attribute = {
  readonly type: ValueType
  readonly description: string
  /** Answers at once, from what is known. */
  readonly read: () => unknown
  /** Gets a value of `type`; takes effect before it returns. */
  readonly write?: (value: unknown) => void
}

/** One argument of an operation. */
export type Argument = { readonly name: string; readonly type: ValueType }

/** What can be done; the value that it gives says what it changed. */
export type BeanOperation = {
  readonly arguments: readonly Argument[]
  readonly returns: ValueType
  readonly description: string
  /** It only reads: any viewer may call it, and it is not audited. @default false */
  readonly isQuery?: boolean
  /** It shows what was sent: a caller needs the role `read` besides, as for files. @default false */
  readonly showsEvents?: boolean
  /** Gets values of the declared types, as many as declared. */
  readonly invoke: (...args: readonly unknown[]) => unknown
}

/** A live part of the server under a name, with what can be watched and steered. Knows nothing of transports. */
export type Bean = {
  readonly name: ObjectName
  readonly description: string
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly operations: Readonly<Record<string, BeanOperation>>
}

/** A bean as it is written down; see {@link defineBean}. */
export type BeanDefinition = {
  readonly name: ObjectName | string
  readonly description: string
  readonly attributes?: Readonly<Record<string, Attribute>>
  readonly operations?: Readonly<Record<string, BeanOperation>>
}

/** Declares a bean. @throws BeanError `bad-name` for a pattern or no name at all */
export const defineBean = ({ name, description, attributes = {}, operations = {} }: BeanDefinition): Bean => {
  const parsed = typeof name === 'string' ? parseObjectName(name) : name
  if (parsed.isPattern) throw new BeanError('bad-name', `A bean cannot be named by the pattern ${parsed.canonical}`)
  return { name: parsed, description, attributes, operations }
}

/** A read-only attribute. */
export const attribute = (type: ValueType, description: string, read: () => unknown): Attribute => ({
  type,
  description,
  read,
})

/** An operation without arguments that gives a map. */
export const action = (description: string, invoke: () => unknown): BeanOperation => ({
  arguments: [],
  returns: 'map',
  description,
  invoke,
})
