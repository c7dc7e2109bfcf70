import { BlockList, isIP } from 'node:net'

/** Whether an address is in one of some blocks; text that is not an address is in none. */
export type AddressBlocks = (address: string) => boolean

/** @param entries addresses and CIDR ranges @throws RangeError for an entry that is neither */
export const createAddressBlocks = (entries: readonly string[]): AddressBlocks => {
  const blocks = new BlockList()
  for (const entry of entries) add(blocks, entry)
  return address => {
    const plain = toPlainAddress(address)
    const version = isIP(plain)
    return version !== 0 && blocks.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * The IPv4 address mapped by an IPv6 address (RFC 4291, 2.5.5.2), however it is written: a listener on both protocols
 * shows peers as `::ffff:1.2.3.4`, and proxies write `::ffff:102:304`, too. Any other text as it is.
 */
export const toPlainAddress = (address: string): string => {
  // Asked of each request; most addresses have neither.
  if (!address.includes(':') || !/ffff:/i.test(address) || address.includes('%') || isIP(address) !== 6) return address
  const [, high, low] = mapped.exec(new URL(`http://[${address}]`).hostname) ?? []
  if (high === undefined || low === undefined) return address
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 0xff, second >> 8, second & 0xff].join('.')
}

/** A mapped address as URLs write it. */
const mapped = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/

const add = (blocks: BlockList, entry: string): void => {
  const [address = '', prefix, ...more] = entry.trim().split('/')
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (version === 0 || more.length > 0 || !(bits <= longest)) {
    throw new RangeError(`"${entry}" is neither an IP address nor a CIDR range such as 10.0.0.0/8`)
  }
  blocks.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
}
