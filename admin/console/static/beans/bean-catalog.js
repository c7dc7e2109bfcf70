import { call } from '../server/rpc.js'

/** @typedef {import('../../../client/types.ts').BeanInfo} BeanInfo */

const pageSize = 1_000
/** As many beans as the server holds at most. */
const maxPages = 20

/**
 * All beans with what they offer, page by page.
 * @returns {Promise<readonly BeanInfo[]>}
 */
export const loadBeans = async () => {
  /** @type {BeanInfo[]} */
  const beans = []
  /** @type {string | undefined} */
  let after
  for (let page = 0; page < maxPages; page++) {
    const answer = /** @type {import('../../../client/types.ts').BeanPage} */ (
      await call('list', { limit: pageSize, ...(after === undefined ? {} : { after }) })
    )
    beans.push(...answer.beans)
    after = answer.next
    if (after === undefined) break
  }
  return beans
}

/**
 * What a search finds: every word is in the name, the description, an attribute or an operation.
 * @param {readonly BeanInfo[]} beans
 * @param {string} query
 */
export const findBeans = (beans, query) => {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
  if (words.length === 0) return beans
  return beans.filter(({ mbean, description, attributes, operations }) => {
    const text = [mbean, description, ...Object.keys(attributes), ...Object.keys(operations)].join(' ').toLowerCase()
    return words.every(word => text.includes(word))
  })
}
