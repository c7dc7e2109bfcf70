/** Nested deeper than this an error says nothing that matters here. */
const maxDepth = 8

/** A broker's message may have megabytes, and goes into the log, health and pages. */
const maxLength = 300

const unknownCa = "the CA of the broker's certificate is not known: NODE_EXTRA_CA_CERTS names a file with it"

/** What codes mean where the words beside them say little. */
const causes: Readonly<Record<string, string>> = {
  SASL_AUTHENTICATION_FAILED: 'wrong user or password',
  UNSUPPORTED_SASL_MECHANISM: 'the broker does not support this SASL mechanism (option sasl of realtime.broker)',
  SELF_SIGNED_CERT_IN_CHAIN: unknownCa,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownCa,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownCa,
  UNABLE_TO_GET_ISSUER_CERT: unknownCa,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownCa,
}

/** The same of words that come without a code. */
const sayings: readonly (readonly [RegExp, string])[] = [
  [/^Failed to authenticate/, 'wrong user or password'],
  [/^Connection closed$/, 'the broker closed the connection and gave no reason: it may expect a user, or TLS'],
  [/before secure TLS connection was established/, 'the broker ended the TLS handshake: it may not expect TLS there'],
  [/^Broker requires TLS$/, 'the broker expects TLS (option tls of realtime.broker)'],
]

/**
 * Why something failed, for people: the innermost cause first, and then what was tried. Libraries wrap a wrong password,
 * an unknown CA and a closed port in the same "Connection to … failed".
 */
export const toReason = (error: unknown, otherwise = 'no reason was given'): string => {
  const layers = toLayers(error).reverse()
  const [innermost] = layers
  const meaning = layers.map(({ code }) => causes[code]).find(text => text !== undefined)
  const cause = meaning ?? toSaying(innermost?.text ?? otherwise)
  const tried = layers.map(({ text }) => text).find(text => / [\w.-]+:\d+ /.test(text) && text !== innermost?.text)
  return tried === undefined ? cause : `${cause} (${tried})`
}

const toSaying = (text: string): string => sayings.find(([pattern]) => pattern.test(text))?.[1] ?? text

type Layer = { readonly text: string; readonly code: string }

/** From the outermost to the innermost that says something; of several errors the first. */
const toLayers = (error: unknown, depth = 0): Layer[] => {
  if (error === undefined || error === null || depth > maxDepth) return []
  if (typeof error !== 'object') return [{ text: typeof error === 'string' ? shorten(error) : typeof error, code: '' }]
  const { message, description, condition, code, apiId, errors, cause } = error as Readonly<Record<string, unknown>>
  const text = firstText(description, message, condition, code)
  const inner: unknown = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause
  const layer = { text: shorten(text).replace(/\.$/, ''), code: firstText(apiId, condition, code) }
  return [...(text === '' ? [] : [layer]), ...toLayers(inner, depth + 1)]
}

const shorten = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text)

const firstText = (...candidates: readonly unknown[]): string =>
  candidates.find((one): one is string => typeof one === 'string' && one !== '') ?? ''
