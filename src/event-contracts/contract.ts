import type { ContractField } from './schema-fields.ts'

/** What happens to events that do not fit: nothing is looked at, they are kept and counted, kept apart, or refused. */
export type ContractMode = 'off' | 'warn' | 'set-aside' | 'reject'

/** Those that a schema can ask for: there is no place yet where events are set aside. */
export const usableModes = ['off', 'warn', 'reject'] as const satisfies readonly ContractMode[]

/**
 * A schema and all that it refers to, as texts by file: what a thread needs to compile it for itself. It can be cloned.
 */
export type ContractSource = {
  /** The event type. */
  readonly type: string
  /** Name of its file, one of `texts`. */
  readonly file: string
  readonly texts: ReadonlyMap<string, string>
}

/** Where a payload is from. */
export type PayloadSource = {
  /** `JSON.parse` alone has made it: there is nothing in it but what JSON has. @default it is of the value model */
  readonly isNative?: boolean
  /** The same with all of its numbers as they were sent. @default it has them */
  readonly exact?: (() => unknown) | undefined
}

/** What the events of a type have to be. */
export type EventContract = {
  readonly source: ContractSource
  /** What its file says of events that do not fit; undefined where the settings say it. */
  readonly mode: ContractMode | undefined
  /** The columns of the type, in the order of its properties. */
  readonly fields: readonly ContractField[]
  /** Whether comparing has been given up, because most events of the type took too long. */
  readonly isTooSlow: boolean
  /**
   * Why a payload does not fit: where, what was found, what was expected; undefined when it fits.
   * @param from where the payload is from: where something is JSON that others have parsed, numbers may be rounded
   */
  judge(payload: Readonly<Record<string, unknown>>, from?: PayloadSource): string | undefined
}
