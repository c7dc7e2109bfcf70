import type { Handler } from '../http/call/call.ts'
import type { defaulted, operations } from './types.gen.ts'

/** Name of an operation of `openapi.yaml`. */
export type OperationId = keyof operations

/**
 * Path, query and header parameters of an operation as its handler finds them: checked, and with a value wherever the
 * contract has a default.
 */
export type Params<Id extends OperationId> =
  unknown extends Declared<Id> ? Readonly<Record<string, never>> : Filled<Declared<Id>, defaulted[Id]>

/** One handler for each operation: a missing or a surplus one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Params<Id>> }

type Declared<Id extends OperationId> = Located<Id, 'path'> & Located<Id, 'query'> & Located<Id, 'header'>

/** `unknown`, the neutral element of `&`, where an operation has no parameters in that place. */
type Located<Id extends OperationId, Where extends 'path' | 'query' | 'header'> = operations[Id]['parameters'] extends {
  readonly [Key in Where]?: infer Found
}
  ? [NonNullable<Found>] extends [never]
    ? unknown
    : NonNullable<Found>
  : unknown

type Filled<All, Names> = { readonly [Key in keyof All as Key extends Names ? never : Key]: All[Key] } & {
  readonly [Key in keyof All as Key extends Names ? Key : never]-?: NonNullable<All[Key]>
}
