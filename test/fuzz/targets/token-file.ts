import { findCaller } from '../../../src/http/auth/caller-rule.ts'
import { parseTokenFile, toRuleLine, toTokenLine } from '../../../src/http/auth/token-file.ts'

/** The file of tokens. */
export const name = 'token-file'

export const dictionary = [
  'sha256:',
  'read',
  'write',
  'view',
  'operate',
  'send',
  ',',
  ' ',
  '#',
  '\n',
  '0123456789abcdef',
  'principal: ',
  'user: ',
  ' roles: ',
  ' name: ',
  '"',
  '*@R',
  '*/*@R',
  '*',
  '@',
  '/',
  '\\',
]

/** What is read can be written, and reads as the same. @throws FormatError */
export const run = (bytes: Uint8Array): void => {
  const { tokens, rules } = parseTokenFile(Buffer.from(bytes).toString('utf8'))
  for (const entry of tokens) {
    const line = toTokenLine(entry.name, [...entry.roles], entry.sha256)
    const [again] = parseTokenFile(line).tokens
    if (again?.sha256 !== entry.sha256 || again.roles.size !== entry.roles.size) throw new Error(`${line} is another`)
  }
  for (const rule of rules) {
    const line = toRuleLine(rule)
    const [again] = parseTokenFile(line).rules
    if (again?.pattern !== rule.pattern || again.name !== rule.name) throw new Error(`${line} is another`)
    // What a rule is for without its stars, it is for; another realm it never is.
    const value = rule.pattern.replaceAll('*', 'ab')
    if (!findCaller([rule], rule.kind === 'user' ? `user:${value}` : value) && !rule.name)
      expectStrange(rule.kind, value)
    if (rule.kind === 'principal' && findCaller([rule], `${value}X`)) throw new Error(`${line} lets in ${value}X`)
  }
}

/** Only a name that no caller can have keeps out a caller with a rule. */
const expectStrange = (kind: string, value: string): void => {
  const name = kind === 'principal' ? (value.split(/[/@]/)[0] ?? '') : value
  if (/^[\w.@-]{1,100}$/.test(name) && !/^\.+$/.test(name) && value.length <= 256) throw new Error(`${value} is nobody`)
}
