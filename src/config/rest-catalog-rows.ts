import { Expected, list, type RawValue, type Setting, text, toText, toUrl, url } from './setting.ts'

const httpUrl = toUrl('http:', 'https:')

const parseCatalog = (raw: RawValue): string => {
  if (toText(raw).toLowerCase() === 'none') return 'none'
  const parsed = httpUrl(raw)
  const { username, search } = new URL(parsed)
  if (username === '' && search === '') return parsed
  throw new Expected('a URL without a user or options: collector.output.rest.… has those')
}

const catalog: Setting<string> = {
  type: 'URL, or none',
  default: 'none',
  sentence:
    'Of tables: `none`: the directory of each is the table; `https://…`: they are those of an Iceberg REST catalog at this address, without `/v1`.',
  parse: parseCatalog,
}

const namespaceLevel = (raw: RawValue): string => {
  const level = toText(raw)
  if (/^[^\p{Cc}/]{1,255}$/u.test(level) && level !== '..') return level
  throw new Expected('a level of a namespace: 1 to 255 characters, no slash among them')
}

const namespace: Setting<readonly string[]> = {
  ...list(namespaceLevel, ['events'], {
    sentence:
      'Namespace of the tables in the catalog, its levels with dots between them; it is made where it is not there.',
    defaultText: '`events`',
    type: 'text',
  }),
  parse: raw => toText(raw).split('.').map(namespaceLevel),
}

/** Which catalog has the tables, and who this server is to it; named as Iceberg's own catalog properties are. */
export const restCatalogRows = {
  'collector.output.catalog': catalog,
  'collector.output.namespace': namespace,
  'collector.output.rest.warehouse': text(undefined, { sentence: 'Warehouse, where the catalog has several.' }),
  'collector.output.rest.prefix': text(undefined, {
    sentence: 'The prefix after `/v1` in all its paths.',
    defaultText: 'what the catalog says',
  }),
  'collector.output.rest.token': text(undefined, { sentence: 'Bearer token for the catalog.', secret: true }),
  'collector.output.rest.credential': text(undefined, {
    sentence:
      '`client-id:client-secret` instead: tokens are fetched with it (OAuth2 client credentials), and renewed before they expire.',
    secret: true,
  }),
  'collector.output.rest.oauth2-server-uri': url(['http:', 'https:'], {
    sentence: 'Where tokens are fetched.',
    defaultText: '`/v1/oauth/tokens` of the catalog',
  }),
  'collector.output.rest.scope': text('catalog', { sentence: 'Scope of these tokens.' }),
} as const
