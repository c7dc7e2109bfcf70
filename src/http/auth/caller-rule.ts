/**
 * Rules of the token file for callers that others authenticate: Kerberos, or a proxy with single sign-on.
 *
 *     principal: "<pattern>" roles: <role>[,<role>…] [name: "<name>"]
 *     user: "<pattern>" roles: <role>[,<role>…] [name: "<name>"]
 *
 * In a pattern, `*` matches one or more characters except `/`, `@` and `\`; each part between these may have one, so
 * that a match is a look at both ends of each part. The realm of a principal must be written out: so principals of
 * another realm never match by accident. The first rule that matches decides.
 *
 * The name is that of the rule, in which `*` is replaced by what the pattern's first `*` matched. Without one it is the
 * first component of the principal, or the user's name as it is.
 */
import type { Identity } from '../call/call.ts'
import type { Role } from '../roles.ts'

/** The subject of a rule: `principal` whom Kerberos has proven, `user` whom a proxy has named. */
export type RuleKind = 'principal' | 'user'

export type CallerRule = {
  readonly kind: RuleKind
  readonly pattern: string
  readonly roles: ReadonlySet<Role>
  readonly name: string | undefined
}

/** A caller and the rule that makes him one. */
export type Vouched = { readonly rule: CallerRule; readonly identity: Identity & { readonly subject: string } }

/** What a name may be, of tokens as well; one of dots alone would be a step in a path. */
const namePattern = /^(?!\.+$)[\w.@-]{1,100}$/
/** A colon is in neither, so that no principal looks like the subject of a user. */
const valuePatterns = { principal: /^[\w.$+/@-]{1,256}$/, user: /^[\w.$+/@\\-]{1,256}$/ }
const separators = /([/@\\])/
/** Before the name of a user; a principal is its own subject. */
const userPrefix = 'user:'

/** What is wrong with the parts of a rule; undefined while nothing is. */
export const problemOfRule = ({ kind, pattern, roles, name }: CallerRule): string | undefined => {
  if (!valuePatterns[kind].test(pattern.replaceAll('*', 'a')))
    return `expected a pattern of letters, digits and ._$+-/@*`
  if (kind === 'principal' && !/^[^@]+@[^@*]+$/.test(pattern))
    return 'expected a principal with its realm, without * there'
  if (pattern.split(separators).some(part => part.split('*').length > 2)) return 'expected at most one * in each part'
  // The collector asks for tokens alone: pages of any origin may call it, and browsers would vouch for them.
  if (roles.has('send')) return 'expected roles without send, which only a token can have'
  if (name === undefined) return undefined
  if (!namePattern.test(name.replace('*', 'a'))) return 'expected a name of letters, digits and ._@-'
  return name.includes('*') && !pattern.includes('*') ? 'expected no * in a name without one in the pattern' : undefined
}

/** The identity by these rules; undefined without a match, or with a name that no caller can have. */
export const findCaller = (rules: readonly CallerRule[], subject: string): Vouched | undefined => {
  const kind = subject.startsWith(userPrefix) ? 'user' : 'principal'
  const value = kind === 'user' ? subject.slice(userPrefix.length) : subject
  if (!valuePatterns[kind].test(value)) return undefined
  const parts = value.split(separators)
  for (const rule of rules) {
    const star = rule.kind === kind ? match(rule.pattern.split(separators), parts) : undefined
    if (star === undefined) continue
    const name = rule.name?.replace('*', () => star) ?? (kind === 'principal' ? (parts[0] ?? '') : value)
    return namePattern.test(name) ? { rule, identity: { name, subject, has: role => rule.roles.has(role) } } : undefined
  }
  return undefined
}

/** What the first `*` matches, empty without one; undefined without a match. */
const match = (pattern: readonly string[], parts: readonly string[]): string | undefined => {
  if (pattern.length !== parts.length) return undefined
  let first: string | undefined
  for (const [i, part] of parts.entries()) {
    const [start = '', end] = (pattern[i] ?? '').split('*')
    if (end === undefined ? part !== start : !(part.length > start.length + end.length)) return undefined
    if (end === undefined) continue
    if (!part.startsWith(start) || !part.endsWith(end)) return undefined
    first ??= part.slice(start.length, part.length - end.length)
  }
  return first ?? ''
}
