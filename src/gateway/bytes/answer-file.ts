import { SluiceError } from '../../errors.ts'
import type { FileStatus, OpenFile } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { toDownloadHeaders } from '../../http/answers/security-headers.ts'
import type { Call } from '../../http/call/call.ts'
import { dataHeaders } from '../answers.ts'
import type { ToBodyOptions } from '../context.ts'
import { answerBytes } from './answer-bytes.ts'
import {
  type Conditions,
  isRangeWanted,
  judgeConditions,
  toValidatorHeaders,
  toValidators,
  type Validators,
} from './conditional.ts'
import { type ByteRange, parseByteRange } from './http-range.ts'
import { isDrawing, toMediaType } from './media-type.ts'

type FileCall = Call<Conditions>

type Answering = { readonly toBodyOptions: ToBodyOptions }

/** Answers with a file as stored, or the part that `Range` asks for, as a download; the conditions of HTTP come first. */
export const answerFile = async (context: Answering, call: FileCall, file: OpenFile): Promise<Response> => {
  const { status } = file
  const validators = toValidators(status)
  const headers = { ...toFileHeaders(status), ...toDrawingHeaders(call, status), ...toValidatorHeaders(validators) }
  const judgement = judgeConditions(call.params, validators)
  if (judgement === 'unchanged') return new Response(null, { status: 304, headers: toCacheHeaders(headers) })
  if (judgement === 'failed') {
    throw new SluiceError('precondition-failed', `"${status.path}" has changed`, { headers: toCacheHeaders(headers) })
  }
  return await answerPart(context, call, { file, headers, part: toPart(call, status, validators) })
}

type Part = {
  readonly file: OpenFile
  readonly headers: Readonly<Record<string, string>>
  /** Undefined for the whole. */
  readonly part: ByteRange | undefined
}

const answerPart = async (context: Answering, call: FileCall, { file, headers, part }: Part): Promise<Response> => {
  const { length } = file.status
  const bytes = part?.length ?? length
  const init = {
    status: part === undefined ? 200 : 206,
    headers: {
      ...headers,
      ...(part && { 'content-range': `bytes ${part.offset}-${part.offset + bytes - 1}/${length}` }),
    },
  }
  return await answerBytes(call, file, { offset: part?.offset ?? 0, length: bytes }, init, context.toBodyOptions)
}

const toPart = (call: FileCall, file: FileStatus, validators: Validators): ByteRange | undefined => {
  if (!isRangeWanted(call.header('if-range'), validators)) return undefined
  const part = parseByteRange(call.header('range'), file.length)
  if (part !== 'unsatisfiable') return part
  throw new SluiceError('range-not-satisfiable', `"${file.path}" has ${file.length} bytes`, {
    headers: { 'content-range': `bytes */${file.length}` },
  })
}

const toFileHeaders = ({ path }: FileStatus): Readonly<Record<string, string>> => ({
  ...dataHeaders,
  ...toDownloadHeaders(baseName(path)),
  'content-type': toMediaType(path),
  'accept-ranges': 'bytes',
})

/**
 * SVG may contain script: it gets its own type only for an `<img>`, where browsers run no scripts, and is plain bytes
 * otherwise. Without TLS browsers do not send the destination of a request; then its `Accept` shows it.
 */
const toDrawingHeaders = (call: FileCall, { path }: FileStatus): Readonly<Record<string, string>> => {
  if (!isDrawing(path)) return {}
  const accept = call.header('accept') ?? ''
  const isImage = /\bimage\/svg\+xml\b/i.test(accept) && !/\bhtml\b/i.test(accept)
  const isShown = isImage && (call.header('sec-fetch-dest') ?? 'image') === 'image'
  return { vary: 'Accept, Sec-Fetch-Dest', ...(isShown ? { 'content-type': 'image/svg+xml' } : {}) }
}

/** Of an answer without a body: what may have changed about what the client has. */
const toCacheHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(etag|last-modified|cache-control)$/.test(name)))
