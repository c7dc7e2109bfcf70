/**
 * The file of those who may call: a bearer token or a rule (`caller-rule.ts`) per line, `#` starts a comment.
 *
 *     <name> <role>[,<role>…] sha256:<64 hexadecimal digits>
 *     principal: "*@EXAMPLE.ORG" roles: <role>[,<role>…] [name: "<name>"]
 *     user: "*@example.org" roles: <role>[,<role>…] [name: "<name>"]
 *
 * Only hashes are stored. A plain SHA-256 is enough because tokens are 256 random bits, not passwords: there is
 * nothing to guess, and a slow hash would make every request slow.
 */
import { FormatError } from '../../errors.ts'
import { type Role, roles } from '../roles.ts'
import { type CallerRule, problemOfRule } from './caller-rule.ts'

/** A known token, without the token. */
export type TokenEntry = {
  /** Its owner, for the audit log. */
  readonly name: string
  readonly roles: ReadonlySet<Role>
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string
}

/** What the file says. */
export type TokenFile = {
  readonly tokens: readonly TokenEntry[]
  /** In the order of the file: the first that matches decides. */
  readonly rules: readonly CallerRule[]
}

const maxFileChars = 1_048_576
/** Every presented token is compared with all of them, and a caller perhaps with all rules, so their number is bounded. */
const maxTokens = 1_000
const maxRules = 1_000

/** Reads a token file. @throws FormatError with the offset of the first bad line */
export const parseTokenFile = (text: string): TokenFile => {
  if (text.length > maxFileChars) throw fault(maxFileChars, 'expected its end')
  const tokens: TokenEntry[] = []
  const rules: CallerRule[] = []
  let offset = 0
  for (const line of text.split('\n')) {
    const content = line.replace(/#.*/, '').trim()
    if (/^(?:principal|user):/.test(content)) rules.push(parseRule(content, offset))
    else if (content !== '') tokens.push(parseToken(content, offset))
    offset += line.length + 1
  }
  if (tokens.length > maxTokens) throw fault(text.length, `expected at most ${maxTokens} tokens`)
  if (rules.length > maxRules) throw fault(text.length, `expected at most ${maxRules} rules`)
  return { tokens, rules }
}

/** A line for the file. The name may have letters, digits and `._@-`. */
export const toTokenLine = (name: string, granted: readonly Role[], sha256: string): string =>
  `${name} ${granted.join(',')} sha256:${sha256}`

/** A line for the file. */
export const toRuleLine = ({ kind, pattern, roles: granted, name }: CallerRule): string =>
  `${kind}: "${pattern}" roles: ${[...granted].join(',')}${name === undefined ? '' : ` name: "${name}"`}`

const parseToken = (line: string, offset: number): TokenEntry => {
  const [, name, list, sha256] = /^([\w.@-]{1,100})\s+([a-z]+(?:,[a-z]+)*)\s+sha256:([0-9a-f]{64})$/i.exec(line) ?? []
  if (name === undefined || list === undefined || sha256 === undefined) {
    throw fault(offset, 'expected `name role,role sha256:<64 hexadecimal digits>`')
  }
  return { name, roles: parseRoles(list, offset), sha256: sha256.toLowerCase() }
}

const rulePattern =
  /^(principal|user):\s*(?:"([^"\s]+)"|([^"\s]+))\s+roles:\s*([a-zA-Z]+(?:,[a-zA-Z]+)*)(?:\s+name:\s*(?:"([^"\s]+)"|([^"\s]+)))?$/

const parseRule = (line: string, offset: number): CallerRule => {
  const [, kind, quoted, bare, list, quotedName, bareName] = rulePattern.exec(line) ?? []
  const pattern = quoted ?? bare
  if (pattern === undefined || list === undefined) {
    throw fault(
      offset,
      `expected \`${line.split(':', 1).join()}: "pattern" roles: role,role\`, and perhaps \`name: "name"\``,
    )
  }
  const rule: CallerRule = {
    kind: kind === 'user' ? 'user' : 'principal',
    pattern,
    roles: parseRoles(list, offset),
    name: quotedName ?? bareName,
  }
  const problem = problemOfRule(rule)
  if (problem !== undefined) throw fault(offset, problem)
  return rule
}

const parseRoles = (list: string, offset: number): ReadonlySet<Role> =>
  new Set(
    list.split(',').map(word => {
      const role = roles.find(one => one === word.toLowerCase())
      if (role === undefined) throw fault(offset, `expected roles out of ${roles.join(', ')}`)
      return role
    }),
  )

const fault = (at: number, message: string): FormatError =>
  new FormatError('token file', at, message, { unit: 'character' })
