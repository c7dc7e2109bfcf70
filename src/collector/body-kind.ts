import type { Api } from '../spool/batch.ts'

/** What a posted body is, as its content type says. */
export type BodyKind = {
  readonly api: Api
  readonly kind: 'json' | 'smile' | 'envelopes' | 'field-list'
}

/**
 * The kind of body by content type, parameters left aside; the contract lets no others through. With a `name`,
 * `application/thrift` is a bare struct; its first byte could be either, so it does not decide.
 */
export const toBodyKind = (contentType: string | undefined, hasName: boolean): BodyKind => {
  // What nearly all clients send, bare: nothing to cut off.
  if (contentType === 'application/json') return json
  if (contentType === 'application/thrift') return hasName ? fieldList : envelopes
  switch (toEssence(contentType)) {
    case 'application/json':
    // What a page may post anywhere without asking first: `navigator.sendBeacon`.
    case 'text/plain':
      return json
    case 'application/json+smile':
      return smile
    case 'application/thrift':
      return hasName ? fieldList : envelopes
    // `ning/*`, `application/octet-stream`, and none.
    default:
      return legacy
  }
}

/** Type and subtype in lower case; empty when absent. */
export const toEssence = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1).join('').trim().toLowerCase()

const json: BodyKind = { api: 'POST_Json_API', kind: 'json' }
const smile: BodyKind = { api: 'POST_Smile_API', kind: 'smile' }
const envelopes: BodyKind = { api: 'POST_Thrift_API', kind: 'envelopes' }
const fieldList: BodyKind = { ...envelopes, kind: 'field-list' }
const legacy: BodyKind = { api: 'POST_ThriftLegacy_API', kind: 'field-list' }
