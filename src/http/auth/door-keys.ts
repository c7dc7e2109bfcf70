import type { Call, Headers, Identity } from '../call/call.ts'
import type { Role } from '../roles.ts'
import { type TokenCallers, toUnauthenticated } from './token-callers.ts'

/** Says who calls. @throws SluiceError `unauthenticated`, `denied` */
type Authorize = (call: Headers, role: Role) => Identity | undefined

/** How senders of other makes show their tokens: as they would a key to their own servers. */
export type DoorKeys = {
  /** As `Authorization: Bearer`, as the user of `Basic`, or as Firehose does. */
  readonly authorize: Authorize
  /** The same, and those that have neither may say it in the body, which {@link authorizeKey} hears of. */
  readonly authorizeLater: Authorize
  readonly authorizeKey: (call: Headers & Pick<Call<unknown>, 'caller'>, said: SaidKeys) => Identity
}

/** What a body says of whose it is. */
type SaidKeys = { readonly key?: string; readonly hasOtherKeys?: boolean }

/** Keys are tokens of the file, with the role `send`. */
export const createDoorKeys = ({ authorizeToken }: Pick<TokenCallers, 'authorizeToken'>): DoorKeys => {
  const authorize: Authorize = (call, role) => authorizeToken(withBearer(call), role)
  return {
    authorize,
    authorizeLater: (call, role) => (call.header('authorization') === undefined ? undefined : authorize(call, role)),
    authorizeKey(call, { key, hasOtherKeys = false }) {
      if (call.caller) return call.caller
      // Whose right and whose quota would count for the others?
      if (hasOtherKeys) throw toUnauthenticated('The events of the request have different keys; expected one for all')
      return authorizeToken(withAuthorization(call, toBearer(key)), 'send')
    },
  }
}

const withBearer = (call: Headers): Headers => {
  const accessKey = call.header('x-amz-firehose-access-key')
  if (accessKey !== undefined && call.header('authorization') === undefined) {
    return withAuthorization(call, toBearer(accessKey))
  }
  const [, encoded] = /^basic +(\S+) *$/i.exec(call.header('authorization') ?? '') ?? []
  if (encoded === undefined) return call
  return withAuthorization(call, toBearer(Buffer.from(encoded, 'base64').toString('utf8').split(':', 1).join()))
}

const withAuthorization = (call: Headers, authorization: string | undefined): Headers => ({
  header: name => (name === 'authorization' ? authorization : call.header(name)),
  identified: caller => call.identified?.(caller),
})

const toBearer = (token: string | undefined): string | undefined =>
  token === undefined ? undefined : `Bearer ${token}`
