/** What a caller says of the trace that its request belongs to (https://www.w3.org/TR/trace-context/, level 1). */
export type TraceContext = {
  /** 32 hexadecimal digits, the same for everything done for one request. */
  readonly traceId: string
  /** 16 hexadecimal digits: the caller's own part in it. */
  readonly parentId: string
  /** Two hexadecimal digits; the last bit says that the caller records it. */
  readonly flags: string
  /** What tracing systems add for themselves, unchanged; undefined if malformed, or too long. */
  readonly state?: string | undefined
}

/** Version, trace, parent, flags (section 3.2.2); a later version may have more after them. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Of a `tracestate`, in characters: a server that propagates it has to propagate at least this many (section 3.3.1.5).
 */
const maxStateLength = 512

/**
 * A `traceparent` header, with the `tracestate` beside it; undefined for one that is not well formed, which counts as none
 * (section 4.3).
 */
export const parseTraceparent = (header: string | undefined, state?: string): TraceContext | undefined => {
  if (header === undefined) return undefined
  const [, version, traceId = '', parentId = '', flags = '', more] = pattern.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  const isState = state !== undefined && state.length <= maxStateLength && /^[ -~\t]+$/.test(state)
  return { traceId, parentId, flags, ...(isState ? { state } : {}) }
}

/** The header again, in the version that is understood here. */
export const formatTraceparent = ({ traceId, parentId, flags }: TraceContext): string =>
  `00-${traceId}-${parentId}-${flags}`

/** Gives headers by their names in lower case. */
export type TraceHeaders = { header(name: string): string | undefined }

/** The trace that a request names by its headers. */
export const traceOf = (request: TraceHeaders): TraceContext | undefined =>
  parseTraceparent(request.header('traceparent'), request.header('tracestate'))

/** A trace in a line of the log; empty without a trace. */
export const toLogFields = (trace: TraceContext | undefined): { readonly traceId?: string } =>
  trace === undefined ? {} : { traceId: trace.traceId }
