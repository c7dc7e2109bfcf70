import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isRecord } from '../../../src/is-record.ts'
import { usageError } from './failure.ts'

/** Where the server is, and the token for it. */
export type Address = {
  /** The management listener. */
  readonly url: string
  /** The collector, and the gateway where it has no listener of its own. */
  readonly serverUrl: string
  /** The gateway. */
  readonly gatewayUrl: string
  readonly token: string | undefined
}

export type AddressFlags = {
  readonly url?: string | undefined
  readonly 'server-url'?: string | undefined
  readonly 'token-file'?: string | undefined
  readonly profile?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where profiles are kept. */
export const profilesPath = (env: Environment): string =>
  env['SLUICE_PROFILES'] ?? join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'sluice', 'profiles.yaml')

const defaults = { url: 'http://127.0.0.1:8081', serverUrl: 'http://127.0.0.1:8080' }
const maxTokenFileChars = 10_000

/**
 * The address to use; flags win over variables, which win over the profile, which wins over the defaults.
 *
 *     # profiles.yaml
 *     default: production
 *     profiles:
 *       production: { url: https://sluice.example:8081, server-url: https://sluice.example, token-file: ~/.sluice-token }
 *
 * With `gateway.port` the gateway is elsewhere than the collector: `gateway-url`, or `SLUICE_GATEWAY_URL`.
 *
 * @throws CliError `usage` for an unknown profile, a bad URL, or a file that cannot be read
 */
export const resolveAddress = async (flags: AddressFlags, env: Environment): Promise<Address> => {
  const profile = await readProfile(flags.profile ?? env['SLUICE_PROFILE'], env)
  const tokenFile = flags['token-file'] ?? (env['SLUICE_TOKEN'] ? undefined : profile['token-file'])
  const server = flags['server-url'] ?? (env['SLUICE_SERVER_URL'] || undefined)
  const gateway = flags['server-url'] ?? (env['SLUICE_GATEWAY_URL'] || server)
  return {
    url: toBaseUrl(flags.url ?? (env['SLUICE_URL'] || profile.url) ?? defaults.url, 'url'),
    serverUrl: toBaseUrl(server ?? profile['server-url'] ?? defaults.serverUrl, 'server-url'),
    gatewayUrl: toBaseUrl(
      gateway ?? profile['gateway-url'] ?? profile['server-url'] ?? defaults.serverUrl,
      'server-url',
    ),
    token: tokenFile === undefined ? env['SLUICE_TOKEN'] || profile.token : readToken(tokenFile),
  }
}

type Profile = { readonly [Key in 'url' | 'server-url' | 'gateway-url' | 'token' | 'token-file']?: string }

const readProfile = async (name: string | undefined, env: Environment): Promise<Profile> => {
  const path = profilesPath(env)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    if (name === undefined) return {}
    throw usageError(`There is no profile ${name}: ${path} cannot be read`)
  }
  // Only here: most calls have no profiles, and the parser takes its time to load.
  const { parse } = await import('yaml')
  let root: unknown
  try {
    root = parse(text)
  } catch (error) {
    throw usageError(`${path}: ${(error as Error).message.split('\n')[0]}`)
  }
  if (!isRecord(root)) throw usageError(`${path}: expected \`profiles:\` with a map of names`)
  const profiles = isRecord(root['profiles']) ? root['profiles'] : {}
  const wanted = name ?? root['default']
  if (typeof wanted !== 'string') return {}
  const found = profiles[wanted]
  if (!isRecord(found)) {
    const known = Object.keys(profiles).join(', ') || 'none'
    throw usageError(`${path} has no profile ${wanted}; it has ${known}`)
  }
  return Object.fromEntries(Object.entries(found).map(([key, value]) => [key, String(value)]))
}

const readToken = (path: string): string => {
  const file = path.replace(/^~(?=\/)/, homedir())
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text === '' || text.length > maxTokenFileChars || /\s/.test(text)) throw new Error('expected one token in it')
    return text
  } catch (error) {
    throw usageError(`The token file ${file} cannot be used: ${(error as Error).message}`)
  }
}

const toBaseUrl = (text: string, option: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && ['http:', 'https:'].includes(url.protocol)) return text.replace(/\/+$/, '')
  throw usageError(`--${option} ${toShown(text)}: expected an http or https URL, such as ${defaults.url}`)
}

/** A URL may hold a password. */
const toShown = (text: string): string => (text.includes('@') ? '' : text.slice(0, 80))
