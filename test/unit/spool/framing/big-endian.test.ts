import fc from 'fast-check'
import { expect, test } from 'vitest'
import { float64At, uint16At, uint32At } from '../../../../src/spool/framing/big-endian.ts'

test('numbers are what a DataView reads', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 20 }), fc.nat(12), (bytes, from) => {
      const at = Math.min(from, bytes.length - 8)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      expect([uint16At(bytes, at), uint32At(bytes, at), float64At(bytes, at)]).toEqual([
        view.getUint16(at),
        view.getUint32(at),
        view.getFloat64(at),
      ])
    }),
  )
})
