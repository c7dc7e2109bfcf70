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

/** A listener on both protocols shows IPv4 peers as `::ffff:1.2.3.4`. */
export const toPlainAddress = (address: string): string => {
  const lower = address.toLowerCase()
  return lower.startsWith(mappedPrefix) && isIP(lower.slice(mappedPrefix.length)) === 4
    ? address.slice(mappedPrefix.length)
    : address
}

const mappedPrefix = '::ffff:'

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
