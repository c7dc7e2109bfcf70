/** Replaces a secret. */
const hidden = '(hidden)'

const secretKey = /token|password|passwd|secret|authorization|cookie|delegation|credential/i
const maxDepth = 6

/** Hides the values of keys that name secrets, at any depth of a log line's fields. */
export const hideSecrets = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, hideValue(key, value, 0)]))

/** Names of parameters, as they mean when they are decoded; those that hold the keys of senders are among them. */
const secretParam = /^(?:delegation|token|access_token|api_?key|write_?key|password|secret)$/i

/** Whether a parameter of a URL has a secret, by its name. */
export const isSecretParameter = (name: string): boolean => secretParam.test(decodeName(name))

/**
 * Paths that continue with the key of a sender, whose SDK requests its settings there; other endings are not secret.
 * Only where a URL begins, also with an extra slash: directories may have such names.
 */
const keyPath =
  /(\/(?:array|v1\/projects)(?:;[^\s/?#]*)?\/)(?<=(?:^|["'\s](?:\w{1,40}=)?|https?:\/\/[^\s/"']{1,300})\/{0,9}\1)[^\s?#"'\\<>]*?(\/(?:settings|config(?:\.js)?))?(?=$|[\s?#"'\\<>])/gi

/** Hides keys in the paths of URLs. */
export const hideInPath = (text: string): string =>
  text.replace(keyPath, (_, before: string, after = '') => `${before}${hidden}${after}`)

/** Hides passwords in URLs, tokens in queries, keys in paths, bearer tokens and tickets, anywhere in a text. */
export const hideInText = (text: string): string =>
  hideInPath(text)
    // To the last `@` before the path: a password may have one itself.
    .replace(/([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'<>]{1,1000}@/gi, `$1${hidden}@`)
    .replace(/([?&])((?:[\w.-]|%[0-9a-f]{2}){1,40})=[^\s&"'\\#<>]+/gi, (all, mark: string, name: string) =>
      isSecretParameter(name) ? `${mark}${name}=${hidden}` : all,
    )
    .replace(/\b(bearer|basic|negotiate) +[\w~+/.=-]{8,}/gi, `$1 ${hidden}`)

const decodeName = (name: string): string =>
  name.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

const hideValue = (key: string, value: unknown, depth: number): unknown => {
  if (secretKey.test(key) && value !== undefined && value !== null && typeof value !== 'boolean') return hidden
  // Errors have a serializer of their own; other classes say how they look by themselves.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) return value.map(one => hideValue('', one, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, hideValue(name, part, depth + 1)]))
}
