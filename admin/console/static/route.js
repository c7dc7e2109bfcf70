/** @typedef {'overview' | 'live' | 'types' | 'beans' | 'audit'} ViewName */

/** @type {readonly string[]} */
const views = /** @type {readonly ViewName[]} */ (['overview', 'live', 'types', 'beans', 'audit'])

/**
 * What the address asks for: `#overview`, `#live`, `#live/rejected`, `#types`, `#types/<name>`, `#beans`, `#beans/<name>`,
 * `#audit`.
 * @returns {{ view: ViewName, rest: string }}
 */
export const route = () => {
  const [, view = '', rest = ''] = /^#(\w+)(?:\/(.*))?$/.exec(location.hash) ?? []
  return { view: views.includes(view) ? /** @type {ViewName} */ (view) : 'overview', rest: toDecoded(rest) }
}

/** @param {string} text */
const toDecoded = text => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
