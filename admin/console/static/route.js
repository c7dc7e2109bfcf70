/** @typedef {'overview' | 'live' | 'types' | 'refused' | 'beans' | 'audit'} ViewName */

/** @type {readonly string[]} */
const views = /** @type {readonly ViewName[]} */ (['overview', 'live', 'types', 'refused', 'beans', 'audit'])

/**
 * What the address asks for: `#overview`, `#live`, `#live?type=…&text=…&where=…&events=rejected`, `#types`, `#types/<name>`,
 * `#refused?type=…&code=…&since=…`, `#refused/<id>`, `#beans`, `#beans/<name>`, `#audit`.
 * @returns {{ view: ViewName, rest: string, query: URLSearchParams }}
 */
export const route = () => {
  const [, view = '', rest = '', query] = /^#(\w+)(?:\/(.*)|\?(.*))?$/.exec(location.hash) ?? []
  const name = views.includes(view) ? /** @type {ViewName} */ (view) : 'overview'
  return { view: name, rest: toDecoded(rest), query: new URLSearchParams(query) }
}

/** @param {string} text */
const toDecoded = text => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
