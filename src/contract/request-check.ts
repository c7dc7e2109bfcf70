import { SluiceError } from '../errors.ts'
import type { Operation } from './contract.ts'
import { createAcceptCheck, createTypeCheck } from './media-types.ts'
import { createParameterReader } from './parameters.ts'
import { createPathLookup } from './path-template.ts'
import { createQuery, type Lookup, toTarget } from './query.ts'

/** Longest path with query, in characters. */
const maxUrlChars = 8192

/** Checks one request against its operation: URL, media types, parameters. @returns the parameters */
export type RequestCheck = (url: string, header: Lookup) => Readonly<Record<string, unknown>>

/**
 * What a request must pass before its handler runs.
 * @throws SluiceError `uri-too-long`, `not-acceptable`, `unsupported-media-type`, `bad-parameter`, `bad-path` (the returned
 * function)
 */
export const createRequestCheck = (operation: Operation): RequestCheck => {
  const readParameters = createParameterReader(operation)
  const checkMediaTypes = createMediaTypeCheck(operation)
  const toPathLookup = createPathLookup(operation.path)
  const { parameterNames } = operation
  return (url, header) => {
    const target = toTarget(url)
    checkLength(target)
    checkMediaTypes(header)
    const { find, findAll } = createQuery(target, parameterNames)
    return readParameters({ path: toPathLookup(target), query: find, header, repeated: findAll })
  }
}

/** @throws SluiceError `uri-too-long` */
export const checkLength = ({ length }: string): void => {
  if (length > maxUrlChars)
    throw new SluiceError('uri-too-long', `The URL has ${length} characters; ${maxUrlChars} are allowed`)
}

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
