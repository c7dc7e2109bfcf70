import { describe, expect, test } from 'vitest'
import { createClientAddress, toPackedAddress } from '../../../src/collector/client-address.ts'

describe('createClientAddress', () => {
  const clientAddress = createClientAddress(['127.0.0.0/8', '::1', '10.1.2.3', '2001:db8::/32'])
  test.each([
    ['127.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['127.9.9.9', ' , 1.2.3.4 ,5.6.7.8', '1.2.3.4'],
    ['10.1.2.3', '2001:db8::7', '2001:db8::7'],
    ['10.1.2.4', '1.2.3.4', '10.1.2.4'],
    ['2001:db8:1::1', '1.2.3.4', '1.2.3.4'],
    ['::1', '1.2.3.4', '1.2.3.4'],
    ['::2', '1.2.3.4', '::2'],
    ['::ffff:127.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['::FFFF:8.8.8.8', '1.2.3.4', '8.8.8.8'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', ' ,', '127.0.0.1'],
    ['', '1.2.3.4', '1.2.3.4'],
    ['nonsense', '1.2.3.4', 'nonsense'],
    ['127.0.0.1', '1.2.3.4:5678, 5.6.7.8', '1.2.3.4'],
    ['127.0.0.1', '"1.2.3.4"', '1.2.3.4'],
    ['127.0.0.1', '[2001:db8::7]:80', '2001:db8::7'],
    ['127.0.0.1', '"[::ffff:1.2.3.4]:80"', '1.2.3.4'],
    ['127.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
    ['127.0.0.1', '::ffff:102:304', '1.2.3.4'],
    ['127.0.0.1', '[::FFFF:0102:0304]:80', '1.2.3.4'],
    ['127.0.0.1', '0:0:0:0:0:ffff:1.2.3.4', '1.2.3.4'],
    ['127.0.0.1', '0000:0000:0000:0000:0000:ffff:0102:0304', '1.2.3.4'],
    ['::ffff:7f00:1', '::ffff:0:1', '0.0.0.1'],
    ['127.0.0.1', '::ffff:1:102:304', '::ffff:1:102:304'],
    ['127.0.0.1', '64:ff9b::ffff:102:304', '64:ff9b::ffff:102:304'],
    ['127.0.0.1', 'fe80::ffff:102:304%eth0', 'fe80::ffff:102:304%eth0'],
    ['127.0.0.1', '::ffff:102:304%1', '::ffff:102:304%1'],
    ['127.0.0.1', 'proto=https, by=x;for="1.2.3.4:80"', '1.2.3.4'],
  ])('peer %s, X-Forwarded-For %s', (peer, forwarded, want) => {
    expect(clientAddress(peer, forwarded)).toBe(want)
    expect(clientAddress(peer, forwarded)).toBe(want)
  })
  test('what is known of the last peer says nothing of another one, whatever their order', () => {
    const [proxy, client] = ['10.1.2.3', '8.8.8.8']
    for (const peers of [
      [proxy, client, proxy, proxy, client, client, proxy],
      [client, proxy, client, '', client, '', proxy],
    ]) {
      const address = createClientAddress([proxy])
      const want = peers.map(peer => (peer === client ? client : '1.2.3.4'))
      expect(peers.map(peer => address(peer, '1.2.3.4'))).toEqual(want)
    }
  })
  test.each(['', 'localhost', '1.2.3', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1'])(
    'entry %j is refused',
    entry => {
      expect(() => createClientAddress([entry])).toThrow(RangeError)
    },
  )
})

test('toPackedAddress', () => {
  const packed = ['1.2.3.4', '255.255.255.255', '1.2.3', '1.2.3.4.5', 'a.b.c.d', '1..2.3', '-1.2.3.4']
  expect(packed.map(toPackedAddress)).toEqual([16909060, -1, 0, 0, 0, 0, 0])
})
