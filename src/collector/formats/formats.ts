import type { Api } from '../../spool/apis.ts'
import { envelopeStream } from './envelope-stream.ts'
import { fieldList } from './field-list.ts'
import type { IntakeFormat } from './intake-format.ts'
import { json } from './json.ts'
import { queryFormats } from './query.ts'
import { smile } from './smile.ts'

/** Every format of a body; their media types are those of the contract. */
export const intakeFormats: readonly IntakeFormat[] = [json, smile, envelopeStream, fieldList]

/** Reads a body whose sender says nothing of its type. */
const untyped = fieldList

const byType: ReadonlyMap<string, IntakeFormat> = new Map(
  intakeFormats.flatMap(format => format.mediaTypes.map(type => [type, format] as const)),
)

/** The format of a body by its content type, parameters left aside; undefined for one that the contract does not let through. */
const findFormat = (contentType: string | undefined): IntakeFormat | undefined => {
  // What nearly all clients send, bare: nothing to look up or to cut off.
  if (contentType === 'application/json') return json
  if (contentType === undefined) return untyped
  const bare = byType.get(contentType)
  if (bare !== undefined) return bare
  const essence = toEssence(contentType)
  return essence === '' ? untyped : (byType.get(essence) ?? byType.get(toRange(essence)))
}

/** How a body is read that the contract lets through. @param hasName whether the request has the parameter `name` */
export const toFormat = (contentType: string | undefined, hasName: boolean): IntakeFormat => {
  const format = findFormat(contentType) ?? untyped
  return hasName ? (format.named ?? format) : format
}

/** What a request counts as of which nothing has been read; one whose type means nothing as JSON, which most are. */
export const apiOfRequest = (operationId: string, contentType: string | undefined): Api =>
  isQuery(operationId) ? queryFormats[operationId].api : (findFormat(contentType) ?? json).api

/** Type and subtype in lower case; empty when absent. */
export const toEssence = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1).join('').trim().toLowerCase()

const toRange = (essence: string): string => `${essence.slice(0, essence.indexOf('/') + 1)}*`

const isQuery = (operationId: string): operationId is keyof typeof queryFormats =>
  Object.hasOwn(queryFormats, operationId)
