import { byId } from '../elements/dom.js'
import { call } from './rpc.js'

/**
 * Where the listeners of the server are reached, and whether events need a token.
 * @typedef {{ readonly collector: import('../types/curl.js').Target, readonly gateway: string }} Addresses `gateway` is empty where none runs
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
  const hasGateway = (value.Settings['services'] ?? '').includes('gateway')
  const { server = '', gateway = hasGateway ? server : '' } = value.Listeners
  const needsToken = value.Settings['collector.auth'] === 'token'
  return { collector: { url: toReachable(server), needsToken }, gateway: toReachable(gateway) }
}

/**
 * Sets links to the listeners of events and files; those that this browser cannot reach stay hidden.
 * @param {Addresses} addresses
 */
export const setLinks = ({ collector, gateway }) => {
  for (const [id, base, path] of /** @type {const} */ ([
    ['files-link', gateway, '/'],
    ['api-link', collector.url, '/docs'],
  ])) {
    const link = byId(id)
    const href = toHref(base, path)
    link.hidden = href === undefined
    link.setAttribute('href', href ?? path)
  }
}

/**
 * Address of a page of a listener; undefined where this browser cannot reach it.
 * @param {string} base empty: it does not run @param {string} path
 */
export const toHref = (base, path) =>
  base === '' || (isLoopback(new URL(base).hostname) && !isLoopback(location.hostname)) ? undefined : `${base}${path}`

/** @param {string} host */
const isLoopback = host => host === 'localhost' || host === '[::1]' || host.startsWith('127.')

/** A listener on every address is reached under that of this page. @param {string} url */
const toReachable = url => url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, `//${location.hostname}`)
