import { SluiceError } from '../errors.ts'
import type { Operation } from './contract.ts'
import { createAcceptCheck, createTypeCheck } from './media-types.ts'
import { createParameterReader } from './parameters.ts'
import { createQueryLookup, type Lookup, toTarget } from './query.ts'

/** Longest path with query, in characters, where a listener does not say otherwise. */
export const defaultMaxUrlChars = 8192

/** Checks one request against its operation: URL, media types, parameters. @returns the parameters */
export type RequestCheck = (url: string, header: Lookup) => Readonly<Record<string, unknown>>

/**
 * Hears of a request that its handler never sees, and may change the error: count it, add headers.
 * @returns what is thrown instead
 */
export type OnRefusal = (operation: Operation, error: unknown) => unknown

/**
 * What a request must pass before its handler runs.
 * @throws SluiceError `uri-too-long`, `not-acceptable`, `unsupported-media-type`, `bad-parameter` (the returned function)
 */
export const createRequestCheck = (
  operation: Operation,
  { maxUrlChars = defaultMaxUrlChars, onRefusal }: { maxUrlChars?: number; onRefusal?: OnRefusal | undefined } = {},
): RequestCheck => {
  const readParameters = createParameterReader(operation)
  const checkMediaTypes = createMediaTypeCheck(operation)
  return (url, header) => {
    try {
      const target = toTarget(url)
      if (target.length > maxUrlChars) throw toUriTooLong(target, maxUrlChars)
      checkMediaTypes(header)
      return readParameters(createQueryLookup(target), header)
    } catch (error) {
      throw onRefusal ? onRefusal(operation, error) : error
    }
  }
}

export const toUriTooLong = ({ length }: string, maxUrlChars: number): SluiceError =>
  new SluiceError('uri-too-long', `The URL has ${length} characters; ${maxUrlChars} are allowed`)

const createMediaTypeCheck = ({ requestContent, anyContentType, answers, strictAccept }: Operation) => {
  const accepted = anyContentType ? [] : Object.keys(requestContent)
  const isAccepted = createTypeCheck(accepted)
  const produced = [...new Set(answers.flatMap(({ content }) => Object.keys(content)))]
  const isProduced = createAcceptCheck(produced)
  return (header: (name: string) => string | undefined): void => {
    if (strictAccept && !isProduced(header('accept'))) {
      throw new SluiceError('not-acceptable', `The Accept header excludes ${produced.join(', ')}`)
    }
    if (accepted.length > 0 && !isAccepted(header('content-type'))) {
      throw new SluiceError('unsupported-media-type', `Content-Type: expected one of ${accepted.join(', ')}`)
    }
  }
}
