/**
 * Checks whether a `Content-Type` is one of the given media types or ranges (`ning/*`). Parameters and case make no
 * difference; a request without the header passes, because what that means is for the operation to say.
 */
export const createTypeCheck = (accepted: readonly string[]): ((header: string | undefined) => boolean) => {
  const types = new Set(accepted)
  return header => {
    if (header === undefined || types.has(header)) return true
    const semicolon = header.indexOf(';')
    const type = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase()
    return types.has(type) || types.has(toRange(type)) || types.has('*/*') || type === ''
  }
}

/**
 * Checks whether an `Accept` header (RFC 9110 section 12.5.1) allows at least one of the given media types. The most
 * specific range that matches a type decides, and `q=0` excludes. No header, or an empty one, allows everything.
 */
export const createAcceptCheck = (produced: readonly string[]): ((header: string | undefined) => boolean) => {
  const candidates = produced.map(type => [type, toRange(type), '*/*'])
  const isAllowed = (header: string): boolean => {
    const qualities = parseAccept(header)
    return candidates.some(ranges => {
      const decisive = ranges.find(range => qualities.has(range))
      return decisive !== undefined && qualities.get(decisive) !== 0
    })
  }
  // One kind of client sends nearly all requests of an operation, and the same header with each.
  let last = '*/*'
  let wasAllowed = true
  return header => {
    if (header === undefined || header.trim() === '') return true
    if (header !== last) {
      wasAllowed = isAllowed(header)
      last = header
    }
    return wasAllowed
  }
}

const toRange = (type: string): string => `${type.slice(0, type.indexOf('/') + 1)}*`

const parseAccept = (header: string): ReadonlyMap<string, number> => {
  const qualities = new Map<string, number>()
  for (const element of header.toLowerCase().split(',')) {
    const [range = '', ...parameters] = element.split(';').map(part => part.trim())
    const quality = parameters.find(parameter => parameter.startsWith('q='))
    if (range !== '') qualities.set(range === '*' ? '*/*' : range, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  return qualities
}
