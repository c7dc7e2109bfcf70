/** A socket's address without zone; IPv4 addresses of dual-stack sockets as IPv4. */
export const toPeer = (address: string | undefined): string => {
  if (address === undefined) return ''
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  const zone = address.indexOf('%')
  return zone === -1 ? address : address.slice(0, zone)
}
