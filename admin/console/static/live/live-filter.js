/**
 * The user's filter; the server sends only matching events, and the page shows only matching earlier ones.
 * @typedef {{ readonly types: readonly string[], readonly text: string, readonly where: string, readonly onlyRefused: boolean }} LiveFilter
 */

/** @param {LiveFilter} filter */
export const toQuery = ({ types, text, where, onlyRefused }) => {
  const query = new URLSearchParams(types.map(type => ['type', type]))
  if (text !== '') query.set('text', text)
  if (where !== '') query.set('where', where)
  if (onlyRefused) query.set('events', 'rejected')
  return query
}

/** What {@link toQuery} was made of. @param {URLSearchParams} query @returns {LiveFilter} */
export const fromQuery = query => ({
  types: query.getAll('type'),
  text: query.get('text') ?? '',
  where: query.get('where') ?? '',
  onlyRefused: query.get('events') === 'rejected',
})

/** Names apart by spaces or commas. @param {string} text */
export const toTypes = text => text.split(/[\s,]+/).filter(type => type !== '')

/**
 * Whether an event is wanted, as the server decides it; whether `where` is true of an event is known only for those
 * that arrived while it was set.
 * @param {import('./live-feed.js').LiveEvent} event
 * @param {LiveFilter} filter
 */
export const matches = (event, { types, text, where, onlyRefused }) => {
  if (where !== '' && event.where !== where) return false
  if (event.kind === 'accepted') {
    const isOfType = types.length === 0 || types.some(type => toPattern(type).test(event.type))
    return !onlyRefused && isOfType && has([event.type, JSON.stringify(event.fields)], text)
  }
  // Its type was not read, but the request as sent may name it.
  const sent = event.sent?.text ?? ''
  const isOfType = types.length === 0 || types.some(type => sent.includes(type.replaceAll('*', '')))
  return isOfType && has([event.code, event.detail, sent], text)
}

/** @param {readonly string[]} texts @param {string} part */
const has = (texts, part) => part === '' || texts.some(text => text.toLowerCase().includes(part.toLowerCase()))

/** @param {string} glob */
const toPattern = glob => new RegExp(`^${glob.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*')}$`, 's')
