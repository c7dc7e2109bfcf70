import { isIP } from 'node:net'
import { toPlainAddress } from '../../http/origin/address-blocks.ts'

/** How many bits of an address name its block. */
export type BlockPrefixes = { readonly ipv4Prefix: number; readonly ipv6Prefix: number }

/**
 * The block that an address is in, however the address is written: `10.1.2.3`, `10.1.0.0/16`, `2001:db8:0:1::/64`.
 * Other text is returned unchanged.
 */
export const toBlock = (text: string, { ipv4Prefix, ipv6Prefix }: BlockPrefixes): string => {
  const address = toPlainAddress(text)
  // Most are whole IPv4 addresses.
  if (ipv4Prefix === 32 && !address.includes(':')) return address
  switch (isIP(address)) {
    case 4:
      return `${cut(address.split('.').map(Number), 8, ipv4Prefix).join('.')}/${ipv4Prefix}`
    case 6:
      return `${toIpv6Text(cut(toWords(address), 16, ipv6Prefix))}/${ipv6Prefix}`
    default:
      return address
  }
}

/** Sets all bits after the prefix to 0. */
const cut = (parts: readonly number[], bits: number, prefix: number): readonly number[] =>
  parts.map((part, i) => {
    const kept = Math.min(bits, Math.max(0, prefix - i * bits))
    return kept === 0 ? 0 : part & (-1 << (bits - kept))
  })

/** The eight words of an IPv6 address, without its zone. */
const toWords = (address: string): readonly number[] => {
  const { hostname } = new URL(`http://[${address.split('%', 1).join()}]`)
  const [before = '', after = ''] = hostname.slice(1, -1).split('::')
  const toNumbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map(word => Number.parseInt(word, 16))
  const first = toNumbers(before)
  const last = toNumbers(after)
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last]
}

/** As URLs write it. */
const toIpv6Text = (words: readonly number[]): string =>
  new URL(`http://[${words.map(word => word.toString(16)).join(':')}]`).hostname.slice(1, -1)
