import type { RpcError } from './errors.ts'

/** What `version` answers. */
export type VersionInfo = {
  readonly product: 'sluice'
  readonly version: string
  readonly node: string
  /** Domain prefix of bean names: `<vendor>.metrics.collector:…`. */
  readonly vendor: string
  /** ms since the epoch. */
  readonly startedAt: number
}

/** Which beans `list` gives. */
export type ListParams = {
  /** A name, a pattern, or a Jolokia path `domain[/properties]`. @default all */
  readonly path?: string
  /** Beans per page, 1 to 1000. @default 100 */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

/** Beans in the order of their names. */
export type BeanPage = {
  readonly beans: readonly BeanInfo[]
  /** For the following page's `after`; absent on the last. */
  readonly next?: string
}

/** A bean and what it offers. */
export type BeanInfo = {
  /** Its object name in canonical form. */
  readonly mbean: string
  readonly description: string
  readonly attributes: Readonly<Record<string, AttributeInfo>>
  readonly operations: Readonly<Record<string, OperationInfo>>
}

/** Types are `string`, `long`, `int`, `double`, `boolean`, `string[]`, `map`, `void`. */
export type AttributeInfo = {
  readonly type: string
  readonly description: string
  readonly writable: boolean
}

export type OperationInfo = {
  readonly arguments: readonly { readonly name: string; readonly type: string }[]
  readonly returns: string
  readonly description: string
  /** It only reads: the role `view` is enough. */
  readonly isQuery?: boolean
}

/** Values by attribute name. */
export type Attributes = Readonly<Record<string, unknown>>

/** What was read, and when: ms since the epoch. */
export type ReadResult<T> = { readonly value: T; readonly timestamp: number }

/** One call of a batch. */
export type RpcCall = { readonly method: string; readonly params?: Readonly<Record<string, unknown>> }

/** How one call of a batch ended. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError }
