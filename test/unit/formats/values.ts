import fc from 'fast-check'
import { fromMembers } from '../../../src/formats/members.ts'
import { Decimal, Float32, Float64, parseNumber, type Value } from '../../../src/formats/number.ts'

const names = fc.oneof(
  fc.constantFrom('a', 'b', 'eventName', '', '__proto__', 'constructor', '1'),
  fc.string({ unit: 'binary' }),
)

const strings = fc.oneof(
  fc.constantFrom('x', 'y', 'HOURLY', '', '\ufeffbom', '\ufffd'),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary', minLength: 20, maxLength: 80 }),
  fc.string({ minLength: 50, maxLength: 80 }),
)

/** A double as the readers give it. */
const doubles = fc.double().map(value => (Number.isInteger(value) ? new Float64(value) : value))

const integers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(toCanonical),
  fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }).map(toCanonical),
)

/** Decimals that JSON text keeps as such. */
const jsonDecimals = fc
  .tuple(fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }), fc.integer({ min: 1, max: 500 }))
  .map(([unscaled, scale]) => parseNumber(new Decimal(unscaled, scale).toString()))
  .filter(value => value instanceof Decimal)

const decimals = fc.tuple(fc.bigInt(), fc.integer()).map(([unscaled, scale]) => new Decimal(unscaled, scale))

/** Any value in the form in which the readers give it; with `json`, only what JSON text keeps. */
export const values = ({ json }: { readonly json: boolean }): fc.Arbitrary<Value> => {
  const finite = doubles.filter(value => !json || Number.isFinite(Number(value)))
  const others = [decimals, fc.float().map(value => new Float32(value)), fc.uint8Array({ maxLength: 40 })]
  const leaf: fc.Arbitrary<Value> = fc.oneof(
    fc.constantFrom(null, true, false),
    integers,
    finite,
    strings,
    ...(json ? [jsonDecimals] : others),
  )
  return fc.letrec<{ value: Value }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('value')),
      fc.array(fc.tuple(names, tie('value'))).map(fromMembers),
    ),
  })).value
}

function toCanonical(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}
