/** An entry of a keytab with a key of zeros; see `src/kerberos/keytab.ts`. */
export const keytabEntry = (principal: string): Buffer => {
  const [path = '', realm = ''] = principal.split('@')
  const components = path.split('/')
  const body = Buffer.concat([
    uint16(components.length),
    ...[realm, ...components].flatMap(text => [uint16(text.length), Buffer.from(text)]),
    // Type of the name, time, version; type and length of the key, and the key.
    Buffer.alloc(4 + 4 + 1),
    uint16(18),
    uint16(32),
    Buffer.alloc(32),
  ])
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length)
  return Buffer.concat([size, body])
}

export const keytabOf = (entries: readonly Buffer[]): Buffer => Buffer.concat([Buffer.from('0502', 'hex'), ...entries])

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])
