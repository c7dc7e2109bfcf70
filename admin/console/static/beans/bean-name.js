/**
 * An object name for people: the domain, a title, and the other properties.
 * @param {string} mbean in canonical form, `domain:key=value,key="quoted, value"`
 */
export const toBeanName = mbean => {
  const colon = mbean.indexOf(':')
  const pairs = mbean.slice(colon + 1).matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)
  const properties = new Map(Array.from(pairs, ([, key = '', value = '']) => [key, unquote(value)]))
  const title = properties.get('name') ?? mbean.slice(colon + 1)
  properties.delete('name')
  return {
    domain: mbean.slice(0, colon),
    title,
    rest: [...properties].map(([key, value]) => `${key}=${value}`).join(', '),
  }
}

/**
 * Whether it is the name for old clients of a bean that has a better one: `…_SUCCES` beside `…_SUCCESS`.
 * @param {string} mbean
 */
export const isOldName = mbean => /[:,]name=[^,]*_SUCCES(?:,|$)/.test(mbean)

/** @param {string} value */
const unquote = value =>
  value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char)) : value
