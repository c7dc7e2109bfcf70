import type { Watched } from '../../current.ts'
import type { ContractSource, EventContract } from '../../event-contracts/contract.ts'

/** What a field can be said to be. */
export const schemaTypes: ReadonlySet<string> = new Set([
  'boolean',
  'byte',
  'short',
  'integer',
  'long',
  'double',
  'string',
  'date',
  'ip',
])

/** A column of an event type, as a schema registry describes it. */
export type SchemaField = {
  /** Thrift field id. */
  readonly id: number
  readonly name: string
  /** One of {@link schemaTypes}; empty where it is not known. */
  readonly type: string
}

/**
 * Metadata about deserialized objects (the gateway's specification, part 2). Answers from memory, never waits: an unknown name is
 * simply unknown.
 */
export type Registrar = {
  /** Fields of an event type in the order of their ids; undefined when it is unknown. */
  fields(typeName: string): readonly SchemaField[] | undefined
  /** What events have to be, by type, where there is more to it than fields; the same objects until they change. */
  readonly contracts?: () => ReadonlyMap<string, EventContract>
  /** All that it knows, and who is to hear when that changes. @default it knows nothing, for good */
  readonly known?: Watched<KnownTypes>
  /** What is wrong with what was read last; empty while nothing is. */
  readonly problem?: () => string
  close(): void
}

/** All that a registrar knows of event types, as plain values: another thread can have the same. */
export type KnownTypes = {
  readonly fields: ReadonlyMap<string, readonly SchemaField[]>
  readonly contracts: readonly ContractSource[]
}

export const noTypes: KnownTypes = { fields: new Map(), contracts: [] }

/** Knows nothing: columns are named by the data. */
export const noRegistrar: Registrar = { fields: () => undefined, close: () => {} }
