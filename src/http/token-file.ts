/**
 * The file of bearer tokens: one per line, `#` starts a comment.
 *
 *     <name> <role>[,<role>…] sha256:<64 hexadecimal digits>
 *
 * Only hashes are stored. A plain SHA-256 is enough because tokens are 256 random bits, not passwords: there is
 * nothing to guess, and a slow hash would make every request slow.
 */
import { FormatError } from '../errors.ts'

/** What a token may be for: the collector, the gateway (two), the management (two). None includes another. */
export const roles = ['send', 'read', 'write', 'view', 'operate'] as const
export type Role = (typeof roles)[number]

/** A known token, without the token. */
export type TokenEntry = {
  /** Who holds it, for the audit log. */
  readonly name: string
  readonly roles: ReadonlySet<Role>
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string
}

const maxFileChars = 1_048_576
/** Every presented token is compared with all entries, so their number is bounded. */
const maxTokens = 1_000

/** Reads a token file. @throws FormatError with the offset of the first bad line */
export const parseTokenFile = (text: string): readonly TokenEntry[] => {
  if (text.length > maxFileChars) throw fault(maxFileChars, 'expected its end')
  const entries: TokenEntry[] = []
  let offset = 0
  for (const line of text.split('\n')) {
    const content = line.replace(/#.*/, '').trim()
    if (content !== '') entries.push(parseLine(content, offset))
    offset += line.length + 1
  }
  if (entries.length > maxTokens) throw fault(text.length, `expected at most ${maxTokens} tokens`)
  return entries
}

/** A line for the file. The name may have letters, digits and `._@-`. */
export const toTokenLine = (name: string, granted: readonly Role[], sha256: string): string =>
  `${name} ${granted.join(',')} sha256:${sha256}`

const parseLine = (line: string, offset: number): TokenEntry => {
  const [, name, list, sha256] = /^([\w.@-]{1,100})\s+([a-z]+(?:,[a-z]+)*)\s+sha256:([0-9a-f]{64})$/i.exec(line) ?? []
  if (name === undefined || list === undefined || sha256 === undefined) {
    throw fault(offset, 'expected `name role,role sha256:<64 hexadecimal digits>`')
  }
  const granted = list.split(',').map(word => {
    const role = roles.find(one => one === word.toLowerCase())
    if (role === undefined) throw fault(offset, `expected roles out of ${roles.join(', ')}`)
    return role
  })
  return { name, roles: new Set(granted), sha256: sha256.toLowerCase() }
}

const fault = (at: number, message: string): FormatError =>
  new FormatError('token file', at, message, { unit: 'character' })
