import { FormatError, SluiceError } from '../errors.ts'

/** Headers of stored data: never shown as a page of this site, never kept by a shared cache. */
export const dataHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-cache',
}

/** A small JSON answer. */
export const toJsonResponse = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { ...dataHeaders, 'content-type': 'application/json', ...headers },
  })

/** The error of a file whose bytes are not rows: what and where, for the client. Other errors stay as they are. */
export const toUnreadable = (error: unknown): unknown =>
  error instanceof FormatError ? new SluiceError('unreadable', error.message, { cause: error }) : error

/** A serializer's name as a header value: printable ASCII, at most 200 characters. */
export const toSerializerHeader = (name: string | undefined): Readonly<Record<string, string>> =>
  name === undefined ? {} : { 'x-row-serializer': name.replace(/[^\x20-\x7e]/g, '?').slice(0, 200) }
