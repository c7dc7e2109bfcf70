import { bombs, letters, repeat } from './bytes.ts'
import type { RequestBomb } from './request-bombs.ts'

const upload = (name: string): string => `POST /rest/1.0?path=/abuse/${name}`
const form = { 'content-type': 'multipart/form-data; boundary=x' }
const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'

/** For uploads: forms that never end. */
export const gatewayBombs: readonly RequestBomb[] = [
  {
    name: 'endless headers of a part',
    to: upload('a'),
    headers: form,
    body: () => Buffer.concat([Buffer.from('--x\r\n'), repeat('X-A: b\r\n', 100_000)]),
    want: 400,
    says: /headers exceed/,
  },
  {
    name: 'one endless header of a part',
    to: upload('b'),
    headers: form,
    body: () => Buffer.concat([Buffer.from('--x\r\nX-A: '), letters(8)]),
    want: 400,
    says: /headers exceed/,
  },
  {
    name: 'endless parts',
    to: upload('c'),
    headers: form,
    body: () => repeat(part, 100_000),
    want: 400,
    says: /more than 32 fields/,
  },
  {
    name: 'an endless field',
    to: upload('d'),
    headers: form,
    body: () => Buffer.concat([Buffer.from(part.slice(0, -3)), letters(8)]),
    want: 400,
    says: /exceeds 65536/,
  },
  {
    name: 'no boundary in sight',
    to: upload('e'),
    headers: form,
    body: () => letters(8),
    want: 400,
    says: /exceeds 65536/,
  },
  {
    name: 'a coding, which is kept as it is',
    to: upload('f'),
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/octet-stream' },
    body: () => bombs.gzip(256),
    want: 201,
    says: /"size":261632/,
  },
]
