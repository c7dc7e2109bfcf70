/** One request to a store: who signs it, how often it is sent, and for how long. */
import { createHash } from 'node:crypto'
import { parseXml, type XmlElement } from '../../formats/xml/xml-element.ts'
import { createFailover, type FailoverOptions, messagePrefix } from '../cluster/failover.ts'
import { effectOf, NotProven } from '../cluster/remote-exception.ts'
import { refusal } from '../cluster/steps.ts'
import { FileSystemError } from '../filesystem.ts'
import type { Reply } from '../webhdfs/transport/answer.ts'
import { answered } from '../webhdfs/transport/answered.ts'
import type { Ask } from '../webhdfs/transport/ask.ts'
import { getBytes } from '../webhdfs/transport/get-bytes.ts'
import { maxPageBytes, readError, readLimited } from '../webhdfs/transport/read-limited.ts'
import type { AwsKeys } from './credentials/aws-keys.ts'
import type { KeptKeys } from './credentials/kept-keys.ts'
import { isErrorText, isRefusedKeys, s3CodeOf, toS3Error } from './errors.ts'
import { type S3Place, toObjectUrl } from './place.ts'
import { createSigner, emptySha256 } from './sign.ts'

export type S3ClientOptions = FailoverOptions & {
  readonly place: S3Place
  readonly keys: KeptKeys
  readonly ask: Ask
  /** How long the store may take to answer, beside the time for what is sent. @default 30 000 */
  readonly timeoutMs?: number
  /** ms since the epoch. @default Date.now */
  readonly clock?: () => number
}

export type S3Call = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Undefined for a call of the bucket. */
  readonly key?: string | undefined
  /** Those that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** For messages: `Cannot <action> "<path>"`. */
  readonly path: string
  readonly action: string
  /** Whether a second call after one of unknown outcome does no harm and gives the same answer. */
  readonly repeatable: boolean
  /** @default the client's */
  readonly maxRetries?: number
  readonly signal?: AbortSignal | undefined
  /** Bytes of the answer, if they are many: then it comes by a connection of its own, into memory that is used again. */
  readonly manyBytes?: number | undefined
  /** Hears of each attempt whose outcome is not known: it may also be carried out later. */
  readonly onUnknown?: () => void
}

export type S3Client = {
  readonly place: S3Place
  /** For messages: where the store is. */
  readonly peer: string
  /** What the clock of the store says, as far as it is known: ms since the epoch, at most 15 minutes off. */
  now(): number
  /** What `take` makes of an answer. Rejects with `FileSystemError`; nothing is followed that redirects. */
  call<T>(call: S3Call, take: (answer: Reply) => T | Promise<T>): Promise<T>
  /** The answer as XML; undefined where it is empty. An error in the body of a 200 counts as one. */
  xml(call: S3Call): Promise<XmlElement | undefined>
}

/** What a store surely takes of a body: 64 KiB a second. */
const bytesPerMs = 64

export const createS3Client = (options: S3ClientOptions): S3Client => {
  const { place, keys, ask, timeoutMs = 30_000, clock = Date.now } = options
  const peer = new URL(place.base).host
  const failover = createFailover([peer], name => name, options)
  const sign = createSigner(place.region)
  /** How far the clock of the store is ahead of ours, in ms. */
  let aheadMs = 0

  const once = async <T>(call: S3Call, take: (answer: Reply) => T | Promise<T>, isAgain = false): Promise<T> => {
    const { method, path, action, signal, body } = call
    const proof = await prove(keys, call)
    const url = toObjectUrl(place, call.key, call.query)
    const bodySha256 = body === undefined ? emptySha256 : await sha256Of(body)
    const unsigned = { url, method, headers: call.headers ?? {}, bodySha256, at: clock() + aheadMs }
    const headers = await sign(proof, unsigned)
    let serverTime = Number.NaN
    const toRefusal = (answer: Pick<Reply, 'status' | 'headers'>, text: string): FileSystemError => {
      serverTime = Date.parse(answer.headers['date'] ?? '')
      const error = toS3Error(answer, text, action, path)
      // A condition that was not set cannot have failed.
      return answer.status === 412 && !hasCondition(call) ? refusal('unavailable', path, action, 'HTTP 412') : error
    }
    const until = { peer, action, path, signal, timeoutMs: timeoutMs + Math.ceil((body?.length ?? 0) / bytesPerMs) }
    try {
      const asked = call.manyBytes ? getBytes(url, call.manyBytes, headers) : ask(url, { method, headers, body })
      return await answered(asked, { ...until, toRefusal }, async answer => {
        if (answer.status < 300) return await take(answer)
        throw toS3Error(answer, await readError(answer.body), action, path)
      })
    } catch (error) {
      // Nothing was done for somebody who is not known, or at another time.
      if (isAgain) throw error
      if (isRefusedKeys(error)) keys.forget(proof)
      else if (s3CodeOf(error) === 'RequestTimeTooSkewed' && !Number.isNaN(serverTime)) aheadMs = serverTime - clock()
      else throw error
      return await once(call, take, true)
    }
  }
  const run: S3Client['call'] = (call, take) =>
    failover(call, () =>
      once(call, take).catch((error: unknown) => {
        if (!(error instanceof FileSystemError) || effectOf(error) === 'unknown') call.onUnknown?.()
        throw error
      }),
    )

  return {
    place,
    peer,
    now: () => clock() + aheadMs,
    call: run,
    xml: call =>
      run(call, async ({ status, headers, body }) => {
        const text = await readLimited(body, maxPageBytes)
        if (isErrorText(text))
          throw toS3Error({ status: status === 200 ? 500 : status, headers }, text, call.action, call.path)
        return text === '' ? undefined : toXml(text, call)
      }),
  }
}

const hasCondition = ({ headers = {} }: S3Call): boolean => Object.keys(headers).some(name => /\bif-/.test(name))

/** Says who calls. Where that cannot be said nothing was sent. */
const prove = async (keys: KeptKeys, { action, path }: S3Call): Promise<AwsKeys> => {
  try {
    return await keys.current()
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(messagePrefix, '') : String(error)
    const cause = new NotProven(reason, { cause: error })
    throw new FileSystemError('unavailable', path, `Cannot ${action} "${path}": ${reason}`, { cause })
  }
}

const toXml = (text: string, { action, path }: S3Call): XmlElement => {
  try {
    return parseXml(text, 'the answer')
  } catch (cause) {
    const message = `Cannot ${action} "${path}": the answer is not XML of S3, so the endpoint is not an S3 store`
    throw new FileSystemError('unavailable', path, message, { cause })
  }
}

/** Up to so many bytes it takes no time that counts. */
const smallBytes = 64 * 1024

/** Of many bytes it is taken on another thread. */
const sha256Of = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  if (bytes.length <= smallBytes) return createHash('sha256').update(bytes).digest('hex')
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}
