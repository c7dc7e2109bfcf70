/** @typedef {'overview' | 'beans' | 'audit'} View */

/**
 * What the address asks for: `#overview`, `#beans`, `#beans/<name>`, `#audit`.
 * @returns {{ view: View, rest: string }}
 */
export const route = () => {
  const [, view = '', rest = ''] = /^#(\w+)(?:\/(.*))?$/.exec(location.hash) ?? []
  return { view: view === 'beans' || view === 'audit' ? view : 'overview', rest: toDecoded(rest) }
}

/** @param {string} text */
const toDecoded = text => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
