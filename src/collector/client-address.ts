import { BlockList, isIP } from 'node:net'

/** Where a request came from, as the filters and the `ip` annotation see it. */
export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string

/**
 * The address of the client: the first part of `X-Forwarded-For` that is not blank when the peer is a trusted proxy
 * (or when there is no peer, as in calls within the process), else the peer. As old servers did, the first part
 * counts, so the outermost trusted proxy has to remove what its clients sent.
 * @throws RangeError for an entry that is neither an address nor a CIDR range
 */
export const createClientAddress = (trustedProxies: readonly string[]): ClientAddress => {
  const trusted = new BlockList()
  for (const entry of trustedProxies) addEntry(trusted, entry)
  // The peers of a deployment are few; the answer for the last one is nearly always the one asked for.
  let lastPeer = ''
  let lastTrusted = true
  return (peer, forwardedFor) => {
    if (forwardedFor === undefined) return toPlainAddress(peer)
    if (peer !== lastPeer) {
      lastTrusted = isTrusted(trusted, toPlainAddress(peer))
      lastPeer = peer
    }
    if (!lastTrusted) return toPlainAddress(peer)
    for (const part of forwardedFor.split(',', maxForwardedParts)) {
      const address = part.trim()
      if (address !== '') return address
    }
    return toPlainAddress(peer)
  }
}

/**
 * A dotted quad packed big-endian into a signed 32-bit number; 0 for everything else. Parts are not checked against
 * 255: old servers stored `256.1.1.1` as 65793.
 */
export const toPackedAddress = (address: string): number => {
  const parts = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(address)
  if (!parts) return 0
  return parts.slice(1).reduce((packed, part) => ((packed << 8) + Number(part)) | 0, 0)
}

/** A proxy chain longer than this is made up. */
const maxForwardedParts = 64

const mappedPrefix = '::ffff:'

/** A listener on both protocols shows IPv4 peers as `::ffff:1.2.3.4`. */
const toPlainAddress = (address: string): string => {
  const lower = address.toLowerCase()
  return lower.startsWith(mappedPrefix) && isIP(lower.slice(mappedPrefix.length)) === 4
    ? address.slice(mappedPrefix.length)
    : address
}

const isTrusted = (trusted: BlockList, address: string): boolean => {
  if (address === '') return true
  const version = isIP(address)
  return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

const addEntry = (list: BlockList, entry: string): void => {
  const [address = '', prefix, ...more] = entry.trim().split('/')
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (version === 0 || more.length > 0 || !(bits <= longest)) {
    throw new RangeError(`Trusted proxy "${entry}" is neither an IP address nor a CIDR range such as 10.0.0.0/8`)
  }
  list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
}
