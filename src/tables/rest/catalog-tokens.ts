/** What proves to a catalog who this server is: a token that is given, or those that client credentials get (RFC 6749 §4.4). */
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { isObject } from '../../formats/members.ts'
import { type AnswerLimits, askCatalog, describeAnswer, withoutQuery } from './catalog-http.ts'
import type { RestCatalogSettings } from './rest-settings.ts'

export type CatalogTokens = {
  /** Undefined: the catalog asks for none. Rejects with `FileSystemError`. */
  current(): Promise<string | undefined>
  /** The catalog has refused this one. @returns whether there can be another one */
  refused(token: string | undefined): boolean
}

export type CatalogTokensOptions = {
  readonly signal: AbortSignal | undefined
  readonly monotonicMs: () => number
  readonly limits?: AnswerLimits | undefined
}

type Fetched = { readonly token: string; readonly until: number }

/** Of a token without an end (`expires_in`); the catalog refuses it in time. */
const usualLifeMs = 3_600_000

export const createCatalogTokens = (settings: RestCatalogSettings, options: CatalogTokensOptions): CatalogTokens => {
  const { monotonicMs } = options
  const { token, credential } = settings
  if (credential === undefined) return { current: async () => token, refused: () => false }
  let fetching: Promise<Fetched> | undefined
  let fetched: Fetched | undefined

  const renew = async (): Promise<Fetched> => {
    fetching ??= fetchToken(settings, credential, options).finally(() => {
      fetching = undefined
    })
    fetched = await fetching
    return fetched
  }
  return {
    current: async () => (fetched !== undefined && monotonicMs() < fetched.until ? fetched : await renew()).token,
    refused: refused => {
      if (fetched?.token === refused) fetched = undefined
      return true
    },
  }
}

const fetchToken = async (
  { uri, oauth2ServerUri = `${uri}/v1/oauth/tokens`, scope }: RestCatalogSettings,
  credential: string,
  { signal, monotonicMs, limits }: CatalogTokensOptions,
): Promise<Fetched> => {
  const [id = '', ...secret] = credential.split(':')
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret.join(':'), scope }
  const asked = monotonicMs()
  const answer = await askCatalog({
    method: 'POST',
    url: oauth2ServerUri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    signal,
    limits,
    secrets: [credential, form.client_secret].filter(one => one !== ''),
  })
  const { status, json } = answer
  const token = isObject(json) ? json['access_token'] : undefined
  if (status !== 200 || typeof token !== 'string' || token === '') {
    const what = `${withoutQuery(oauth2ServerUri)} gave no token for ${id}: ${describeAnswer(answer).text}`
    throw new FileSystemError('unavailable', '/', what)
  }
  const seconds = isObject(json) ? Number(json['expires_in'] ?? Number.NaN) : Number.NaN
  const lifeMs = seconds > 0 ? seconds * 1_000 : usualLifeMs
  // Used to nine tenths: a request with it arrives before it ends.
  return { token, until: asked + lifeMs * 0.9 }
}
