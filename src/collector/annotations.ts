import { toPackedAddress } from './client-address.ts'

/** What the collector knows of a request beside its parameters. */
export type RequestContext = {
  /** ms since the epoch at receipt. */
  readonly receivedAt: number
  /** Text form; see `client-address.ts`. */
  readonly clientAddress: string
  /** Empty when absent. */
  readonly userAgent: string
  /** Of the `Referer` header; empty when absent or not `http(s)://`. */
  readonly referrer: Referrer
  /** Of the trace that the request belongs to, where it names one. */
  readonly traceparent?: string | undefined
}

/** Host with port and user information, and everything after it: path, query and fragment. */
export type Referrer = { readonly host: string; readonly path: string }

/** The names that may follow the type `x`, in any case. */
const annotations = ['date', 'host', 'path', 'ua', 'ip'] as const

/** What an annotation is worth: `date` as i64 ms, `ip` as packed i32, the others as text. */
export type AnnotationValue = { readonly i64: bigint } | { readonly i32: number } | { readonly text: string }

/** Undefined when the name is not an annotation. */
export const computeAnnotation = (name: string, context: RequestContext): AnnotationValue | undefined => {
  const lower = name.toLowerCase()
  const annotation = annotations.find(known => known === lower)
  switch (annotation) {
    case undefined:
      return undefined
    case 'date':
      return { i64: BigInt(context.receivedAt) }
    case 'host':
      return { text: context.referrer.host }
    case 'path':
      return { text: context.referrer.path }
    case 'ua':
      return { text: context.userAgent }
    case 'ip':
      return { i32: toPackedAddress(context.clientAddress) }
  }
}

const referrerForm = /^https?:\/\/([^/]+)(.*)$/

/** Lower-case schemes only, as in the original; `http://h` has an empty path. */
export const parseReferrer = (header: string | undefined): Referrer => {
  const match = header === undefined ? null : referrerForm.exec(header)
  return match ? { host: match[1] ?? '', path: match[2] ?? '' } : noReferrer
}

const noReferrer: Referrer = { host: '', path: '' }
