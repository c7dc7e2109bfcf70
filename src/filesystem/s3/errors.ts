/** Answers of a store other than success, as `FileSystemError`. */

import { childText, parseXml, type XmlElement } from '../../formats/xml/xml-element.ts'
import { RemoteException } from '../cluster/remote-exception.ts'
import { FileSystemError, type FileSystemErrorCode } from '../filesystem.ts'
import type { AnswerHead } from '../webhdfs/transport/answer-head.ts'

/** Codes of S3 that mean the same for each call; every other one is `unavailable`. */
const codes: Readonly<Record<string, FileSystemErrorCode>> = {
  AccessDenied: 'denied',
  AllAccessDisabled: 'denied',
  AccountProblem: 'denied',
  NoSuchKey: 'not-found',
  NoSuchUpload: 'not-found',
  NotFound: 'not-found',
  PreconditionFailed: 'exists',
  KeyTooLongError: 'bad-path',
  InvalidObjectState: 'denied',
  NotImplemented: 'unsupported',
  MethodNotAllowed: 'unsupported',
  QuotaExceeded: 'quota-exceeded',
  InsufficientStorage: 'quota-exceeded',
  XMinioStorageFull: 'quota-exceeded',
}

/** What an answer without a body (of HEAD, or of a proxy) says by its status alone. */
const codeOfStatus: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  404: 'NoSuchKey',
  405: 'MethodNotAllowed',
  409: 'ConditionalRequestConflict',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
  429: 'SlowDown',
  501: 'NotImplemented',
  507: 'InsufficientStorage',
}

/** The store does not know, or no longer takes, the keys that a request is signed with. Nothing was done. */
const refusedKeys = [
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
]

/** Refusals after which nothing was done, whatever their status: the same call may be made again. */
const notDone = ['SlowDown', 'RequestTimeout', 'RequestTimeTooSkewed']

/** The status by which a refusal is repeated or not. What a store lacks it lacks the next time, too. */
const toKnownStatus = (code: string, status: number): number =>
  notDone.includes(code) ? 429 : code === 'NotImplemented' ? 400 : status

/** The code of S3 behind an error of this file system; empty without one. */
export const s3CodeOf = (error: unknown): string => {
  const cause = error instanceof FileSystemError ? error.cause : undefined
  return cause instanceof RemoteException ? cause.exception : ''
}

/** Whether other keys may help. */
export const isRefusedKeys = (error: unknown): boolean => refusedKeys.includes(s3CodeOf(error))

/** Longest message that is repeated, in UTF-16 units. */
const maxMessageLength = 300

/**
 * The error for an answer other than success. `body` is its text: an `Error` in XML, or anything at all, of which
 * nothing is repeated; or the `Error` of one object in it.
 */
export const toS3Error = (
  { status, headers }: AnswerHead,
  body: string | XmlElement,
  action: string,
  path: string,
): FileSystemError => {
  const { code, message } = readError(typeof body === 'string' ? toElement(body) : body)
  const known = code ?? codeOfStatus[status] ?? ''
  const said =
    message === undefined ? `the store answers HTTP ${status}${code ? ` (${code})` : ''}` : `${code}: ${message}`
  const remote = new RemoteException(known, toKnownStatus(known, status), `${said}${toHint(known, status, headers)}`)
  return new FileSystemError(toCode(known), path, `Cannot ${action} "${path}": ${remote.message}`, { cause: remote })
}

const toCode = (code: string): FileSystemErrorCode =>
  Object.hasOwn(codes, code) ? (codes[code] ?? 'unavailable') : 'unavailable'

/** What a person can do about it. */
const toHint = (code: string, status: number, headers: AnswerHead['headers']): string => {
  const region = headers['x-amz-bucket-region']
  if (region !== undefined && /^[\w-]{1,40}$/.test(region) && (status === 301 || status === 307 || status === 400)) {
    return `; the bucket is in ${region}: set region of the cluster`
  }
  if (status >= 300 && status < 400)
    return '; it redirects, which is not followed: set endpoint and region of the cluster'
  if (code === 'RequestTimeTooSkewed') return '; the clock of this machine is wrong'
  if (code === 'NoSuchBucket') return '; make the bucket, or set url of the cluster'
  return ''
}

type ErrorWords = { readonly code?: string; readonly message?: string | undefined }

/** The code and the message of an `Error`; a message that could hold what was signed is left out. */
const readError = (error: XmlElement | undefined): ErrorWords => {
  const code = error?.name === 'Error' ? childText(error, 'Code') : undefined
  if (!error || code === undefined || !/^\w{1,64}$/.test(code)) return {}
  const [line = ''] = (childText(error, 'Message') ?? '').split('\n')
  return { code, message: refusedKeys.includes(code) || line === '' ? undefined : line.slice(0, maxMessageLength) }
}

const toElement = (text: string): XmlElement | undefined => {
  try {
    return parseXml(text, 'the answer')
  } catch {
    return undefined
  }
}

/** An answer that says 200 and begins an error in its body all the same: S3 does so where it answers before it is done. */
export const isErrorText = (text: string): boolean => /^\s*(?:<\?xml[^>]*>\s*)?<Error[\s>]/.test(text)
