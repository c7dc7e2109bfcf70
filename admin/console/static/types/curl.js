/**
 * Where events are sent to: the address of the listener, and whether it asks for a token.
 * @typedef {{ readonly url: string, readonly needsToken: boolean }} Target
 */

/** @typedef {import('../live/live-feed.js').LiveEvent} LiveEvent */

/**
 * The command that sends an event, in any shell of POSIX.
 * @param {Target} target
 * @param {string} body
 */
export const toCurl = (target, body) =>
  [
    `curl ${quote(`${target.url}/rest/1.0/event`)}`,
    `-H 'Content-Type: application/json'`,
    ...toCredentials(target),
    `--data-raw ${quote(body)}`,
  ].join(' ')

/**
 * The command that sends what was shown once more; undefined where not all of it is known, or curl cannot send it.
 * @param {Target} target
 * @param {LiveEvent} event
 */
export const toSameCurl = (target, event) => {
  if (event.kind === 'accepted') {
    return event.isCut ? undefined : toCurl(target, JSON.stringify({ eventName: event.type, payload: event.fields }))
  }
  const { api, sent } = event
  if (sent?.text === undefined || sent.isCut) return undefined
  if (api === 'POST_Json_API') return toCurl(target, sent.text)
  // Of a GET it is the target: `-g` leaves brackets alone.
  if (!api.startsWith('GET') || !sent.text.startsWith('/')) return undefined
  return [`curl -g ${quote(target.url + sent.text)}`, ...toCredentials(target)].join(' ')
}

/** @param {Target} target */
const toCredentials = ({ needsToken }) => (needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : [])

/** @param {string} text */
const quote = text => `'${text.replaceAll("'", String.raw`'\''`)}'`
