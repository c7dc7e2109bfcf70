/**
 * JSON whose numbers stay as they are written. `JSON.rawJSON` is younger than the language level that is checked here; a
 * browser without it shows the nearest number.
 * @typedef {{ rawJSON?: (text: string) => unknown, isRawJSON?: (value: unknown) => boolean }} RawJson
 */
const raw = /** @type {RawJson} */ (JSON)

/**
 * Reads JSON; numbers that JavaScript would change become {@link toExactText raw JSON}, which `JSON.stringify` writes as
 * it was.
 * @param {string} text
 * @returns {unknown}
 */
export const parseExact = text =>
  JSON.parse(
    text,
    /** @type {(this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown} */
    (_key, value, context) => {
      const source = context?.source
      if (typeof value !== 'number' || source === undefined || String(value) === source) return value
      return raw.rawJSON ? raw.rawJSON(source) : value
    },
  )

/**
 * The digits of a number that JavaScript would change; undefined for any other value.
 * @param {unknown} value
 */
export const toExactText = value => (raw.isRawJSON?.(value) ? JSON.stringify(value) : undefined)
