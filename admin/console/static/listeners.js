import { call } from './rpc.js'

/**
 * Where the listeners of the server are reached, and whether events need a token.
 * @typedef {{ readonly collector: import('./curl.js').Target, readonly gateway: string }} Addresses
 */

/**
 * @param {string} vendor
 * @returns {Promise<Addresses>} empty addresses where nothing listens
 */
export const getAddresses = async vendor => {
  const mbean = `${vendor}.metrics:name=Settings`
  const { value } = /** @type {{ value: Record<'Settings' | 'Listeners', Readonly<Record<string, string>>> }} */ (
    await call('read', { mbean })
  )
  const { server = '', gateway = server } = value.Listeners
  const needsToken = value.Settings['collector.auth'] === 'token'
  return { collector: { url: toReachable(server), needsToken }, gateway: toReachable(gateway) }
}

/** Who listens on every address is reached under the one that this page came from. @param {string} url */
const toReachable = url => url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, `//${location.hostname}`)
