/** @typedef {'overview' | 'live' | 'beans' | 'audit'} View */

/** @type {readonly string[]} */
const views = /** @type {readonly View[]} */ (['overview', 'live', 'beans', 'audit'])

/**
 * What the address asks for: `#overview`, `#live`, `#live/rejected`, `#beans`, `#beans/<name>`, `#audit`.
 * @returns {{ view: View, rest: string }}
 */
export const route = () => {
  const [, view = '', rest = ''] = /^#(\w+)(?:\/(.*))?$/.exec(location.hash) ?? []
  return { view: views.includes(view) ? /** @type {View} */ (view) : 'overview', rest: toDecoded(rest) }
}

/** @param {string} text */
const toDecoded = text => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
