import { isRecord } from '../is-record.ts'

/** A parameter of a call whose operation is unknown here; undefined if it is absent. */
export const textParam = (params: unknown, name: string): string | undefined => {
  const value = isRecord(params) ? params[name] : undefined
  return typeof value === 'string' ? value : undefined
}
