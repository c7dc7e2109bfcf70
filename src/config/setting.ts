import { createAddressBlocks } from '../http/origin/address-blocks.ts'
import { compileLinearPattern } from '../text/linear-pattern.ts'
import { findUrlProblem } from './url-options.ts'

/** What `sluice.yaml`, a variable or `--set` may contain, before it is checked. */
export type RawValue = unknown

/** One row of the settings table. `T` is what the rest of the code reads. */
export type Setting<T> = {
  /** For the table in `docs/reference/settings.md`: `integer`, `size`, `list`, … */
  readonly type: string
  readonly default: T
  /** The default in words, where the value alone does not say it. */
  readonly defaultText?: string
  readonly unit?: string
  /** One sentence, without the key. */
  readonly sentence: string
  /** It can become another while the server runs. @default it holds from the next start on */
  readonly live?: true
  /** Never printed, logged or shown. */
  readonly secret?: true
  /** It is known for one more version; its sentence says what takes its place. */
  readonly retired?: Retirement
  /** @throws Expected what should have been there */
  readonly parse: (raw: RawValue) => T
}

/** How a setting goes. */
export type Retirement = {
  /** The first version that warns of it, `0.2.0`; the one after that does not know it. */
  readonly since: string
  /**
   * What its value is in the settings that take its place; absent where the value itself is read until then.
   * @throws Expected why both cannot hold
   */
  as?(value: unknown, settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

/** A value was refused; the message says what was expected, and never repeats the value. */
export class Expected extends Error {
  override readonly name = 'Expected'
}

/** The same setting, which can become another while the server runs: who reads it finds that in its type. */
export const live = <T>(setting: Setting<T>): Setting<T> & { readonly live: true } => ({ ...setting, live: true })

/** The same setting, which still has its effect and is warned of. */
export const retired = <T>(retirement: Retirement, setting: Setting<T>): Setting<T> => ({
  ...setting,
  retired: retirement,
})

type Words = Pick<Setting<unknown>, 'sentence' | 'unit' | 'secret' | 'defaultText'>

/** Any text that is not empty. */
export const text = <D extends string | undefined>(fallback: D, words: Words): Setting<string | D> => ({
  type: 'text',
  default: fallback,
  parse: toText,
  ...words,
})

/** An absolute URL of one of the schemes, for example `['http:', 'https:']`. @param isFree as of {@link findUrlProblem} */
export const url = (schemes: readonly string[], words: Words, isFree = false): Setting<string | undefined> => ({
  type: 'URL',
  default: undefined,
  parse: raw => parseUrl(raw, schemes, isFree),
  ...words,
})

/** A whole number between `min` and `max`, both included. @param words `because`: why not less, for messages */
export const integer = <D extends number | undefined>(
  fallback: D,
  words: Words & { readonly min?: number; readonly max?: number; readonly because?: string },
): Setting<number | D> => {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, because = '', ...rest } = words
  return { type: 'integer', default: fallback, parse: raw => toInteger(raw, min, max, because), ...rest }
}

/** An address or name to listen on; IPv6 addresses with or without brackets. */
export const host = <D extends string | undefined>(fallback: D, words: Words): Setting<string | D> => ({
  ...text(fallback, words),
  parse: raw => toText(raw).replace(/^\[(.*)\]$/, '$1'),
})

/** A port number; 0 takes any free one. */
export const port = <D extends number | undefined>(fallback: D, words: Words): Setting<number | D> =>
  integer(fallback, { max: 65_535, ...words })

/** Bytes: `16777216`, `16MiB`, `16 MB`. */
export const size = <D extends number | undefined>(
  fallback: D,
  words: Words & { readonly min?: number; readonly max?: number },
): Setting<number | D> => {
  const { min = 1, max = Number.MAX_SAFE_INTEGER, ...rest } = words
  return { type: 'size', unit: 'bytes', default: fallback, parse: raw => toSize(raw, min, max), ...rest }
}

/** `true` or `false`; also `yes`, `no`, `on`, `off`, `1`, `0`. */
export const flag = <D extends boolean | undefined>(fallback: D, words: Words): Setting<boolean | D> => ({
  type: 'boolean',
  default: fallback,
  parse: raw => {
    const word = String(raw).toLowerCase()
    if (['true', 'yes', 'on', '1'].includes(word)) return true
    if (['false', 'no', 'off', '0'].includes(word)) return false
    throw new Expected('true or false')
  },
  ...words,
})

/** One of a few words. */
export const choice = <const C extends readonly string[]>(
  choices: C,
  fallback: C[number],
  words: Words,
): Setting<C[number]> => ({
  type: choices.map(one => `\`${one}\``).join(', '),
  default: fallback,
  parse: raw => oneOf(choices, raw),
  ...words,
})

/** A comma list in text, or a list in YAML; each element is read by `element`. */
export const list = <T>(
  element: (raw: RawValue) => T,
  fallback: readonly T[],
  words: Words & { readonly type?: string },
): Setting<readonly T[]> => ({
  type: 'list',
  default: fallback,
  parse: raw => toElements(raw).map(element),
  ...words,
})

/** Reads an absolute URL of one of the schemes; slashes at its end are dropped. */
export const toUrl =
  (...schemes: readonly string[]) =>
  (raw: RawValue): string =>
    parseUrl(raw, schemes, false)

const parseUrl = (raw: RawValue, schemes: readonly string[], isFree: boolean): string => {
  const parsed = URL.parse(toText(raw))
  if (parsed === null || !schemes.includes(parsed.protocol) || !hasHost(parsed)) {
    throw new Expected(`a URL that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`)
  }
  const problem = findUrlProblem(parsed, isFree)
  if (problem !== undefined) throw new Expected(problem)
  return toText(raw)
    .replace(/^[^:]*:/, parsed.protocol)
    .replace(/\/+$/, '')
}

/** One of a few words, as an element of a list. */
export const oneOf = <const C extends readonly string[]>(choices: C, raw: RawValue): C[number] => {
  const found = choices.find(one => one === toText(raw).toLowerCase())
  if (found === undefined) throw new Expected(`one of ${choices.join(', ')}`)
  return found
}

/** A regular expression, kept as text; what is wrong with it is said with the part of it that is. */
export const toPattern = (raw: RawValue): string => {
  const source = toText(raw)
  try {
    compileLinearPattern(source)
  } catch (cause) {
    throw new Expected(`a regular expression (${cause instanceof Error ? cause.message : String(cause)})`)
  }
  return source
}

/** An IP address or a CIDR range. */
export const toAddressBlock = (raw: RawValue): string => {
  const block = toText(raw)
  try {
    createAddressBlocks([block])
  } catch {
    throw new Expected('IP addresses and CIDR ranges such as 10.0.0.0/8')
  }
  return block
}

/** The name of an HTTP header (RFC 9110 §5.1), in lower case. */
export const toHeaderName = (raw: RawValue): string => {
  const name = toText(raw).toLowerCase()
  if (!/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(name)) throw new Expected('the name of a header, such as X-Forwarded-User')
  return name
}

/** Text that is not empty; numbers and booleans from YAML count as what they look like. */
export const toText = (raw: RawValue): string => {
  if (typeof raw === 'string' && raw.trim() !== '') return raw.trim()
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw)
  throw new Expected('text')
}

/** URLs of schemes that browsers do not know may lack a host, or have one that no address of HTTP can have. */
const hasHost = ({ protocol, host }: URL): boolean =>
  protocol === 'file:' || (host !== '' && URL.canParse(`http://${host}`))

const toInteger = (raw: RawValue, min: number, max: number, because = ''): number => {
  const digits = toText(raw).replace(/(?<=\d)_(?=\d)/g, '')
  const value = /^-?\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
    throw new Expected(`a whole number ${range}${because && ` (${because})`}`)
  }
  return value
}

const multipliers: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

const toSize = (raw: RawValue, min: number, max: number): number => {
  const match = /^(\d{1,16}(?:\.\d{1,6})?)\s*([a-z]{0,3})$/i.exec(toText(raw))
  const factor = multipliers[match?.[2]?.toLowerCase() ?? '?']
  const bytes = match === null || factor === undefined ? Number.NaN : Math.round(Number(match[1]) * factor)
  if (!Number.isSafeInteger(bytes) || bytes < min || bytes > max) {
    throw new Expected(
      `bytes, such as 16777216, 16MiB or 16MB, ${max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${max}`}`,
    )
  }
  return bytes
}

/** A setting holds at most this many elements: more is a mistake, not a wish. */
const maxElements = 10_000

const toElements = (raw: RawValue): readonly RawValue[] => {
  if (typeof raw === 'object' && !Array.isArray(raw)) throw new Expected('a list')
  const elements: readonly RawValue[] = Array.isArray(raw)
    ? raw
    : (raw === '' ? '' : toText(raw))
        .split(',')
        .map(one => one.trim())
        .filter(one => one !== '')
  if (elements.length > maxElements) throw new Expected(`at most ${maxElements} elements`)
  return elements
}
