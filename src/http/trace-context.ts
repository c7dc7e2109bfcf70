/** What a caller says of the trace that its request belongs to (https://www.w3.org/TR/trace-context/, level 1). */
export type TraceContext = {
  /** 32 hexadecimal digits, the same for all that is done for one request of somebody. */
  readonly traceId: string
  /** 16 hexadecimal digits: the caller's own part in it. */
  readonly parentId: string
  /** Two hexadecimal digits; the last bit says that the caller records it. */
  readonly flags: string
}

/** Version, trace, parent, flags (section 3.2.2); a later version may have more behind them. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** A `traceparent` header; undefined for one that is not well formed, which counts as none (section 4.3). */
export const parseTraceparent = (header: string | undefined): TraceContext | undefined => {
  if (header === undefined) return undefined
  const [, version, traceId = '', parentId = '', flags = '', more] = pattern.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  return { traceId, parentId, flags }
}
