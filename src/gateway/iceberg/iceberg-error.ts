/**
 * Errors as the clients of Iceberg's REST catalog know them:
 *
 *     {"error":{"message":"There is no table …","type":"NoSuchTableException","code":404}}
 */
import { type ErrorCode, toErrorHeaders, toProblem } from '../../errors.ts'

type Known = { readonly status?: number; readonly type: string }

const known: { readonly [Code in ErrorCode]?: Known } = {
  unauthenticated: { type: 'NotAuthorizedException' },
  denied: { type: 'ForbiddenException' },
  'forbidden-host': { type: 'ForbiddenException' },
  // The specification has 406 for what a server does not do.
  unsupported: { status: 406, type: 'UnsupportedOperationException' },
  'method-not-allowed': { status: 406, type: 'UnsupportedOperationException' },
  unreadable: { type: 'UnprocessableEntityException' },
  internal: { type: 'InternalServerError' },
  overloaded: { type: 'ServiceUnavailableException' },
  unavailable: { type: 'ServiceUnavailableException' },
  draining: { type: 'ServiceUnavailableException' },
}

/** @param path of the URL: what is not there is what it names */
export const toIcebergError = (error: unknown, path: string): Response => {
  const { code, detail, title } = toProblem(error)
  const reason = code === 'method-not-allowed' ? 'This catalog is read-only: ' : ''
  const status = toIcebergStatus(error)
  const type = code === 'not-found' ? toMissingType(path) : (known[code]?.type ?? 'BadRequestException')
  return new Response(JSON.stringify({ error: { message: `${reason}${detail ?? title}`, type, code: status } }), {
    status,
    headers: { 'content-type': 'application/json', ...toErrorHeaders(error, status) },
  })
}

/** The status of that response. */
export const toIcebergStatus = (error: unknown): number => {
  const { code, status } = toProblem(error)
  return known[code]?.status ?? status
}

const toMissingType = (path: string): string => {
  if (/\/namespaces\/[^/]+\/tables\/./.test(path)) return 'NoSuchTableException'
  return /\/namespaces\b/.test(path) ? 'NoSuchNamespaceException' : 'NotFoundException'
}
