import { appendFile, chmod, readFile } from 'node:fs/promises'
import type { Role } from '../../../src/http/roles.ts'
import { CliError, usageError } from '../command/failure.ts'

/** As in `src/http/roles.ts`. */
export const tokenRoles = ['send', 'read', 'write', 'view', 'operate'] as const satisfies readonly Role[]

/** Makes a token and appends its line to the file, which is made for its owner alone; `file` null: nowhere. @throws CliError */
export const addToken = async (name: string, wanted: readonly Role[], file: string | undefined) => {
  const roles = [...new Set(wanted)]
  if (!/^[\w.@-]{1,100}$/.test(name))
    throw usageError(`The name ${name.slice(0, 100)}: expected letters, digits and . _ @ -`)
  const [{ createToken }, { hashToken }, { toTokenLine }] = await Promise.all([
    import('../../../src/http/auth/auth.ts'),
    import('../../../src/http/auth/token-callers.ts'),
    import('../../../src/http/auth/token-file.ts'),
  ])
  const token = createToken()
  const line = toTokenLine(name, roles, hashToken(token))
  if (file !== undefined) await append(file, name, line)
  return { name, roles, token, line, file: file ?? null }
}

/** Everyone that a token file lets in: tokens by their names, rules by their patterns. @throws CliError, FormatError */
export const listTokens = async (file: string) => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`The token file ${file} cannot be read: ${error.message}`)
  })
  const { parseTokenFile } = await import('../../../src/http/auth/token-file.ts')
  const { tokens, rules } = parseTokenFile(text)
  return [
    ...tokens.map(({ name, roles }) => ({ kind: 'token' as const, name, roles: [...roles] })),
    ...rules.map(({ kind, pattern, roles }) => ({ kind, name: pattern, roles: [...roles] })),
  ]
}

const append = async (file: string, name: string, line: string): Promise<void> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CliError(`The token file ${file} cannot be read: ${error.message}`)
  })
  const { parseTokenFile } = await import('../../../src/http/auth/token-file.ts')
  if (parseTokenFile(text ?? '').tokens.some(entry => entry.name === name)) {
    throw new CliError(`${file} has a token ${name} already`, {
      code: 'exists',
      hint: 'Remove its line first, or choose another name.',
    })
  }
  const separator = text === undefined || text === '' || text.endsWith('\n') ? '' : '\n'
  await appendFile(file, `${separator}${line}\n`, { mode: 0o600 })
  if (text === undefined) await chmod(file, 0o600)
}
