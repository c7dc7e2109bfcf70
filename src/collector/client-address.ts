import { createAddressBlocks, toPlainAddress } from '../http/origin/address-blocks.ts'
import { toForwardedAddress } from '../http/origin/header-text.ts'

/** Where a request came from, as the filters and the `ip` annotation see it. */
export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string

/**
 * The address of the client: the first part of `X-Forwarded-For` or `Forwarded` that names one, when the peer is a trusted proxy
 * (or when there is no peer, as in calls within the process), else the peer. As old servers did, the first part
 * counts, so the outermost trusted proxy has to remove what its clients sent.
 * @throws RangeError for an entry that is neither an address nor a CIDR range
 */
export const createClientAddress = (trustedProxies: readonly string[]): ClientAddress => {
  const isTrusted = createAddressBlocks(trustedProxies)
  // The peers of a deployment are few; the answer for the last one is nearly always the one asked for.
  let lastPeer = ''
  let lastTrusted = true
  return (peer, forwardedFor) => {
    if (forwardedFor === undefined) return toPlainAddress(peer)
    if (peer !== lastPeer) {
      lastTrusted = peer === '' || isTrusted(peer)
      lastPeer = peer
    }
    if (!lastTrusted) return toPlainAddress(peer)
    for (const part of forwardedFor.split(',', maxForwardedParts)) {
      const address = toPlainAddress(toForwardedAddress(part))
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
