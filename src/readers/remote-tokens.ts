/** Tokens of clusters for readers: the server has them, and a reader asks for what it needs. */
import type { TokensOf } from '../filesystem/name-space.ts'
import { createRecent } from '../filesystem/recent.ts'
import { parseError, printError, type TokenAnswer, type TokenRequest } from './wire.ts'

/** A token is asked for again after so long, in ms; it lives for hours, and one that is refused is asked for at once. */
const maxAgeMs = 30_000

/** The tokens of a reader. */
export type RemoteTokens = {
  readonly of: TokensOf
  readonly onAnswer: (answer: TokenAnswer) => void
}

/** Makes them. @param ask sends a request to the server */
export const createRemoteTokens = (ask: (request: TokenRequest) => void): RemoteTokens => {
  const waiting = new Map<number, PromiseWithResolvers<string>>()
  const recent = createRecent<Promise<string>>(maxAgeMs)
  let lastId = 0

  const request = (mountPoint: string, user: string | undefined, refused?: string): Promise<string> => {
    const answer = Promise.withResolvers<string>()
    const id = ++lastId
    waiting.set(id, answer)
    ask({ kind: 'token', id, mountPoint, user, refused })
    return answer.promise
  }
  return {
    of: mountPoint => {
      const toKey = (user: string | undefined): string => JSON.stringify([mountPoint, user])
      const remember = (user: string | undefined, token: Promise<string>): Promise<string> => {
        token.catch(() => recent.forget(toKey(user)))
        return recent.add(toKey(user), token)
      }
      return {
        get: user => recent.find(toKey(user)) ?? remember(user, request(mountPoint, user)),
        refused: (user, token) => void remember(user, request(mountPoint, user, token)),
      }
    },
    onAnswer: answer => {
      const one = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('token' in answer) one?.resolve(answer.token)
      else one?.reject(parseError(answer.error))
    },
  }
}

/** Answers the request of a reader. */
export const answerTokenRequest = async (
  tokensOf: TokensOf,
  { id, mountPoint, user, refused }: TokenRequest,
): Promise<TokenAnswer> => {
  try {
    const tokens = tokensOf(mountPoint)
    if (refused !== undefined) tokens.refused(user, refused)
    return { kind: 'token', id, token: await tokens.get(user) }
  } catch (error) {
    return { kind: 'token', id, error: printError(error) }
  }
}
