/**
 * The text of a header, of which Node makes a character of each byte (latin1): of UTF-8 where its bytes are that, as browsers
 * and `curl` send it, else as it is.
 */
export const toHeaderText = (value: string): string => {
  if (!/[\x80-\xff]/.test(value)) return value
  const bytes = Uint8Array.from(value, char => char.charCodeAt(0))
  try {
    return utf8.decode(bytes)
  } catch {
    return value
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Where a proxy says whom it calls for: `X-Forwarded-For`, or what has taken its place (RFC 7239). */
export const forwardedFor = (header: (name: string) => string | undefined): string | undefined =>
  header('x-forwarded-for') ?? header('forwarded')

/** The address in a part of {@link forwardedFor}: without quotes, brackets, port, and the prefix of mapped IPv4. */
export const toForwardedAddress = (part: string): string => {
  const trimmed = part.trim()
  if (plain.test(trimmed)) return trimmed
  const node = /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;]*)/i.exec(trimmed)?.[1] ?? (trimmed.includes('=') ? '' : trimmed)
  const bare = node
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(bare) ?? []
  return bracketed ?? dotted ?? bare
}

/** Letters, digits and points: addresses of IPv4, and names that proxies make up. */
const plain = /^[\w.-]*$/
