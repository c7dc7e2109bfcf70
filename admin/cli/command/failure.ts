import { nearest } from '../../../src/text/nearest.ts'
import { RpcError, RpcHttpError, RpcUnreachable, reasonOf } from '../../client/errors.ts'

/** How the process ends. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, unreachable: 3, interrupted: 130 } as const

/** Why a command could not do its work, in words for people and a code for programs. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string
  readonly exitCode: number
  /** What to do about it. */
  readonly hint: string

  constructor(message: string, options: CliErrorOptions = {}) {
    const { code = 'failed', exitCode = exitCodes.failed, hint = '', ...rest } = options
    super(message, rest)
    this.code = code
    this.exitCode = exitCode
    this.hint = hint
  }
}

type CliErrorOptions = ErrorOptions & { readonly code?: string; readonly exitCode?: number; readonly hint?: string }

/** The command was not given what it needs. */
export const usageError = (message: string, hint = ''): CliError =>
  new CliError(message, { code: 'usage', exitCode: exitCodes.usage, hint })

/** Nothing answers at an address. */
export const unreachableError = (url: string, option: string, cause: unknown): CliError =>
  new CliError(`Nothing answers at ${url} (${reasonOf(cause)})`, {
    code: 'unreachable',
    exitCode: exitCodes.unreachable,
    hint: `Start the server with \`sluice serve\`, or give its address with --${option}, ${variables[option] ?? ''} or --profile.`,
    cause,
  })

/** The report of a failed command; the whole of `--json` errors. */
export type Failure = {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly exitCode: number
}

/** The one place that turns a thrown value into words and an exit code. */
export const toFailure = (error: unknown): Failure => {
  if (error instanceof CliError) return failure(error.code, error.message, error.exitCode, error.hint)
  if (error instanceof RpcUnreachable) {
    const [url = ''] = error.message.split(' ')
    return toFailure(unreachableError(url, 'url', error.cause))
  }
  if (error instanceof RpcHttpError)
    return failure(error.code ?? 'http', error.message, exitCodes.failed, tokenHint(error.status))
  if (error instanceof RpcError) return failure(rpcCode(error), error.message, exitCodes.failed)
  if (!(error instanceof Error)) return failure('failed', String(error), exitCodes.failed)
  const { oclif } = error as { oclif?: { exit?: number } }
  if (oclif?.exit === exitCodes.usage)
    return failure('usage', firstParagraph(error.message), exitCodes.usage, nearestFlag(error) ?? usageHint)
  if (error.name === 'GatewayError' && 'code' in error) {
    const hint = error.code === 'exists' ? overwriteHint : ''
    return failure(String(error.code), error.message, exitCodes.failed, hint)
  }
  const [code, exitCode, hint] = errorsOfRooms[error.name] ?? ['failed', exitCodes.failed, '']
  return failure(code, error.message, exitCode, hint)
}

/** Code, exit code and hint of errors by their names: reading the modules that throw them would take its time. */
export const errorsOfRooms: Readonly<Record<string, readonly [string, number, string]>> = {
  SpoolLocked: [
    'spool-locked',
    exitCodes.failed,
    'Stop the server first; `spool list`, `verify` and `dump` work beside it.',
  ],
  NoSpool: ['no-spool', exitCodes.failed, 'Give its directory with --spool, or the settings with --config.'],
  UnknownFormat: ['unknown-format', exitCodes.failed, ''],
  TableError: ['table', exitCodes.failed, ''],
  SettingsError: ['settings', exitCodes.usage, 'All settings: `sluice config`.'],
}

/** The hint where a file is in the way. */
export const overwriteHint = 'Add --overwrite to replace it.'

/** The hint to a refusal for want of a token; empty for others. */
export const tokenHint = (status: number): string =>
  status === 401 || status === 403
    ? 'Give a token with SLUICE_TOKEN, --token-file or --profile; `sluice token create` makes one.'
    : ''

const variables: Readonly<Record<string, string>> = { url: 'SLUICE_URL', 'server-url': 'SLUICE_SERVER_URL' }
const usageHint = 'See more with --help.'

const failure = (code: string, message: string, exitCode: number, hint = ''): Failure => ({
  code,
  message,
  ...(hint === '' ? {} : { hint }),
  exitCode,
})

const rpcCode = ({ data, code }: RpcError): string =>
  typeof data === 'object' && data !== null && 'code' in data ? String(data.code) : `rpc${code}`

/** For a flag that there is not: the one of the command that was meant, as one of another version may be. */
const nearestFlag = (error: object): string | undefined => {
  const { flags, parse } = error as {
    readonly flags?: unknown
    readonly parse?: { readonly input?: { readonly flags?: object } }
  }
  const [given] = Array.isArray(flags) ? flags : []
  if (typeof given !== 'string' || !given.startsWith('--')) return undefined
  const near = nearest(given.slice(2), Object.keys(parse?.input?.flags ?? {}))
  return near === undefined ? undefined : `Did you mean --${near}?`
}

/** oclif puts its own hint, and the list of all flags, after the sentence. */
const firstParagraph = (message: string): string => message.replace(/\nSee more help with --help\s*$/, '').trim()
