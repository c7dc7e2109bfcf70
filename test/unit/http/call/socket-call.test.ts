import { expect, test } from 'vitest'
import { createClientAddress } from '../../../../src/collector/client-address.ts'
import { gonePeer, toPeer } from '../../../../src/http/call/socket-call.ts'

test.each([
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['2001:db8::1', '2001:db8::1'],
  [undefined, gonePeer],
])('the peer %s is %s', (address, want) => {
  expect(toPeer(address)).toBe(want)
})

test('a socket that was reset is not taken for a call within the process', () => {
  const clientAddress = createClientAddress([])
  expect(clientAddress(toPeer(undefined), '10.9.9.9')).toBe(gonePeer)
  expect(clientAddress('', '10.9.9.9')).toBe('10.9.9.9')
})
