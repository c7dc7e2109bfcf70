import { expect, test } from 'vitest'
import { toForwardedAddress, toHeaderText } from '../../../../src/http/origin/header-text.ts'

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['1.2.3.4:5678', '1.2.3.4'],
  ['"1.2.3.4"', '1.2.3.4'],
  ['"1.2.3.4:5678"', '1.2.3.4'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:5678', '2001:db8::7'],
  ['"[2001:db8::7]:5678"', '2001:db8::7'],
  ['for=1.2.3.4', '1.2.3.4'],
  ['For="[2001:db8::7]:5678";proto=https;by=10.0.0.1', '2001:db8::7'],
  ['proto=https; for="1.2.3.4:80"', '1.2.3.4'],
  ['by=10.0.0.1', ''],
  ['unknown', 'unknown'],
  ['_hidden', '_hidden'],
  ['for=_hidden', '_hidden'],
  [' ', ''],
])('%j is the address %j', (part, address) => {
  expect(toForwardedAddress(part)).toBe(address)
})

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')
test.each([
  ['plain', 'plain'],
  [latin1('http://é.example/日本'), 'http://é.example/日本'],
  ['caf\xe9', 'café'],
  ['\x80\xff', '\x80\xff'],
])('the text of %j is %j', (value, text) => {
  expect(toHeaderText(value)).toBe(text)
})
