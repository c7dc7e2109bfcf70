import { isRecord } from '../is-record.ts'

/** A parameter of a call of which it is not known which operation it is for; undefined where it has none of that name. */
export const textParam = (params: unknown, name: string): string | undefined => {
  const value = isRecord(params) ? params[name] : undefined
  return typeof value === 'string' ? value : undefined
}
