import { parseEventQuery } from '../../../src/collector/parsers/query.ts'
import { SluiceError } from '../../../src/errors.ts'
import { checkFieldList } from '../../../src/formats/thrift/field-list.ts'

/** The parameter `v` of `/1` and `/2` after its first decode; what it gives is a field list. */
export const name = 'query'

const context = {
  receivedAt: 1_230_865_445_006,
  clientAddress: '1.2.3.4',
  userAgent: 'agent',
  referrer: { host: 'h', path: '/p' },
}

/** Every type, in both ways of writing numbers. */
export const corpus = (): Uint8Array[] =>
  [
    'Hello,sWorld',
    'Hello',
    'E,b1,b0,b,1127,1-128,1,2-32768,42147483647,8-9223372036854775808,8,d3.14,d,s,sa%2Cb,s%C3%A9+%FF',
    'E,dNaN,dInfinity,d-Infinity,d1e999,d0x1.8p-3,d1.5f,d .5 ',
    'E,xdate,xhost,xpath,xua,xip',
    'TestEvent,1-,20,4z,810,8zzzzzzzzzz,8GuKI21D,1-1!,8C0C0C0',
  ].map(text => Buffer.from(text))

/** @throws nothing but what is a finding */
export const run = (bytes: Uint8Array): void => {
  const v = Buffer.from(bytes).toString('utf8')
  for (const version of [1, 2] as const) {
    try {
      const { payload } = parseEventQuery(v, version, context)
      if (checkFieldList(payload) !== payload.length) throw new Error('there is more than the fields')
    } catch (error) {
      // What one version refuses the other may take.
      if (!(error instanceof SluiceError)) throw error
    }
  }
}
