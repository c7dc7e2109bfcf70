/** Conditional requests of RFC 9110 section 13, for files. */
import type { FileStatus } from '../../filesystem/filesystem.ts'
import { toStateTag } from '../state-tag.ts'

/** Distinguishes one state of a file from another. */
export type Validators = {
  /** Strong: changes with the state of the file. */
  readonly etag: string
  /** ms since the epoch. */
  readonly modified: number
}

/** Validators of a file. */
export const toValidators = (file: Pick<FileStatus, 'version' | 'modificationTime' | 'length'>): Validators => ({
  etag: `"${toStateTag(file)}"`,
  modified: file.modificationTime,
})

/** Headers with which a client can ask again. */
export const toValidatorHeaders = ({ etag, modified }: Validators): Readonly<Record<string, string>> => ({
  etag,
  ...(isDate(modified) ? { 'last-modified': new Date(modified).toUTCString() } : {}),
})

/** The conditions of a request, by header name. */
export type Conditions = {
  readonly 'If-Match'?: string | undefined
  readonly 'If-Unmodified-Since'?: string | undefined
  readonly 'If-None-Match'?: string | undefined
  readonly 'If-Modified-Since'?: string | undefined
}

/** What a GET is to be answered with, in the order of RFC 9110 section 13.2.2. */
export const judgeConditions = (conditions: Conditions, validators: Validators): 'go-on' | 'unchanged' | 'failed' => {
  const { 'If-Match': match, 'If-None-Match': noneMatch } = conditions
  if (match !== undefined) {
    if (!isListed(match, validators.etag, false)) return 'failed'
  } else if (isAfter(validators.modified, conditions['If-Unmodified-Since']) === true) return 'failed'
  if (noneMatch !== undefined) return isListed(noneMatch, validators.etag, true) ? 'unchanged' : 'go-on'
  return isAfter(validators.modified, conditions['If-Modified-Since']) === false ? 'unchanged' : 'go-on'
}

/**
 * Whether `Range` counts: `If-Range` is absent, or names the file as it is by entity tag. A date of whole seconds does not
 * tell two files of one second apart, and clients that have an entity tag send none (RFC 9110 section 13.1.5).
 */
export const isRangeWanted = (ifRange: string | undefined, { etag }: Validators): boolean =>
  ifRange === undefined || ifRange.trim() === etag

/** Weak comparison takes `W/"x"` for `"x"`. */
const isListed = (header: string, etag: string, weak: boolean): boolean =>
  header
    .split(',')
    .map(one => one.trim())
    .some(one => one === '*' || one === etag || (weak && one === `W/${etag}`))

/** Undefined where the date is absent or none: the header is to be ignored then. HTTP dates have whole seconds. */
const isAfter = (modified: number, date: string | undefined): boolean | undefined => {
  const limit = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(limit) ? undefined : Math.floor(modified / 1000) * 1000 > limit
}

const isDate = (ms: number): boolean => Math.abs(ms) <= 8.64e15
