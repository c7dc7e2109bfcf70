// node-only: reads the token file
import { readFile } from 'node:fs/promises'
import { createWatched, type Watched } from '../../current.ts'
import type { Logger } from '../../log/log.ts'
import { every, type Repeat, toFingerprint } from '../edge/watch-files.ts'
import { parseTokenFile, type TokenFile, toRuleLine, toTokenLine } from './token-file.ts'

/** The tokens and rules of a file, as it is now. */
export type TokenSource = {
  /** Those that count. A line that did not change is the same object as before. */
  readonly file: Watched<TokenFile>
  /** What is wrong with the file, without its name; empty while nothing is. */
  problem(): string
  close(): void
}

/** Where the tokens are. */
export type TokenSourceOptions = {
  /** A file as of `token-file.ts`. */
  readonly path: string
  readonly logger: Logger
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
  /** Calls again and again, never two at a time; returns what ends it. @default every second */
  readonly repeat?: Repeat
}

const lookEveryMs = 1_000
/** Including the time until it is noticed, access ends 5 s after the file is gone; an editor replaces a file faster. */
const goneAfterMs = 4_000

const gone = 'the file of auth.tokens is missing: all tokens are refused'
const damaged = 'the file of auth.tokens cannot be used; the previous tokens remain in effect'

/**
 * Reads the file now and after it changes. If it cannot be read the tokens stay as they were; if it is gone they stay
 * for 5 s, and then end.
 * @throws Error naming the file when it cannot be used at start
 */
export const createTokenSource = async (options: TokenSourceOptions): Promise<TokenSource> => {
  const { path, logger, now = () => performance.now(), repeat = every(lookEveryMs) } = options
  let fingerprint: string | undefined = await toFingerprint(path).catch(() => undefined)
  const file = createWatched(await readTokens(path))
  let problem = ''
  let goneSince: number | undefined

  const setProblem = (text: string, fields: Readonly<Record<string, unknown>>): void => {
    if (problem !== text) logger.error({ ...fields, file: path }, text)
    problem = text
  }
  const readAgain = async (): Promise<void> => {
    const next = await toFingerprint(path)
    goneSince = undefined
    if (next === fingerprint) return
    try {
      file.set(keepUnchanged(await readTokens(path), file.current()))
      problem = ''
      const { tokens, rules } = file.current()
      logger.info({ file: path, count: tokens.length, rules: rules.length }, 'tokens read again')
    } finally {
      fingerprint = next
    }
  }
  const look = async (): Promise<void> => {
    try {
      await readAgain()
    } catch (error) {
      if (!isGone(error)) return setProblem(damaged, { err: error })
      goneSince ??= now()
      if (now() - goneSince < goneAfterMs) return
      file.set({ tokens: [], rules: [] })
      fingerprint = undefined
      setProblem(gone, {})
    }
  }
  return {
    file,
    problem: () => problem,
    close: repeat(look),
  }
}

const isGone = (error: unknown): boolean => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return code === 'ENOENT' || code === 'ENOTDIR'
}

const readTokens = async (path: string): Promise<TokenFile> => {
  try {
    return parseTokenFile(await readFile(path, 'utf8'))
  } catch (error) {
    throw new Error(`The file of auth.tokens ${path} cannot be used: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
}

/** A login by a line lasts for as long as the line is unchanged. */
const keepUnchanged = (next: TokenFile, old: TokenFile): TokenFile => ({
  tokens: keepSame(next.tokens, old.tokens, ({ name, roles, sha256 }) => toTokenLine(name, [...roles].sort(), sha256)),
  rules: keepSame(next.rules, old.rules, rule => toRuleLine({ ...rule, roles: new Set([...rule.roles].sort()) })),
})

const keepSame = <Line>(
  next: readonly Line[],
  old: readonly Line[],
  toText: (line: Line) => string,
): readonly Line[] => {
  const byText = new Map(old.map(line => [toText(line), line]))
  return next.map(line => byText.get(toText(line)) ?? line)
}
