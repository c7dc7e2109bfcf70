/** Stands where a secret was. */
const hidden = '(hidden)'

const secretKey = /token|password|passwd|secret|authorization|cookie|delegation|credential/i
const maxDepth = 6

/** Hides the values of keys that name secrets, at any depth of a log line's fields. */
export const hideSecrets = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, hideValue(key, value, 0)]))

/** Hides passwords in URLs, tokens in queries, and bearer tokens, wherever they stand in a text. */
export const hideInText = (text: string): string =>
  text
    // To the last `@` before the path: a password may have one itself.
    .replace(/([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'<>]{1,1000}@/gi, `$1${hidden}@`)
    .replace(/([?&](?:delegation|token|access_token|password|secret)=)[^\s&"'\\#<>]+/gi, `$1${hidden}`)
    .replace(/\b(bearer|basic) +[\w~+/.=-]{8,}/gi, `$1 ${hidden}`)

const hideValue = (key: string, value: unknown, depth: number): unknown => {
  if (secretKey.test(key) && value !== undefined && value !== null && typeof value !== 'boolean') return hidden
  // Errors have a serializer of their own; other classes say how they look by themselves.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) return value.map(one => hideValue('', one, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, hideValue(name, part, depth + 1)]))
}
