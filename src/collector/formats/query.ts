import type { Api } from '../../spool/apis.ts'
import type { QueryVersion } from '../parsers/query.ts'

/** An event in the query of a `GET`, by the operation that takes it: it has no body, and so no media type. */
export type QueryFormat = { readonly api: Api; readonly version: QueryVersion }

export const queryFormats = {
  getEventV1: { api: 'GET_API', version: 1 },
  getEventV2: { api: 'GET_Base64_API', version: 2 },
} as const satisfies Readonly<Record<string, QueryFormat>>
